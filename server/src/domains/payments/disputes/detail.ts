import { type Static, Type } from 'typebox';
import { publicId } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { evidenceFileTypes } from '../providers/dispute.ts';
import { findAnswers } from './answer-statements.ts';
import { type FileRow, findFiles } from './file-statements.ts';
import { type DisputeRow, type DraftEvidence, dispute } from './record.ts';
import { disputeAction, disputeStage } from './states.ts';

export const fileRecord = Type.Object(
  {
    id: Type.String({ description: '`fil_` and a time-ordered part.' }),
    name: Type.String({ description: 'The field of the evidence.' }),
    type: Type.Enum([...evidenceFileTypes]),
    bytes: Type.Integer(),
    sha256: Type.String({ description: 'Of its content, in hex.' }),
  },
  { $id: 'DisputeFile' },
);

const evidence = Type.Object({
  texts: Type.Record(Type.String(), Type.String()),
  files: Type.Array(fileRecord),
});

/** A dispute with its evidence, which events do not have: it may be about the payer. */
export const disputeDetail = Type.Object(
  {
    ...dispute.shape.properties,
    evidence: Type.Object(evidence.properties, { description: 'The draft: what would be submitted now.' }),
    answers: Type.Array(
      Type.Object({
        kind: disputeAction,
        stage: disputeStage,
        state: Type.Enum(['READY', 'CALLING', 'UNKNOWN', 'SUCCEEDED', 'FAILED', 'CANCELLED']),
        defenseReason: Type.Union([Type.String(), Type.Null()]),
        evidence,
      }),
      { description: 'What was sent to the provider, or is about to be, in order.' },
    ),
  },
  { $id: 'DisputeDetail' },
);

export type DisputeDetail = Static<typeof disputeDetail>;

export async function detailOf(database: Queryable, row: DisputeRow): Promise<DisputeDetail> {
  const key = [row.tenant_id, row.id];
  const answers = await database.run(findAnswers, key);
  const files = new Map((await database.run(findFiles, key)).map((file) => [file.id, file]));
  return {
    ...dispute.show(row),
    evidence: evidenceOf(row.evidence, files),
    answers: answers.map((answer) => ({
      kind: answer.kind,
      stage: answer.stage,
      state: answer.state,
      defenseReason: answer.defense_reason,
      evidence: evidenceOf(answer.evidence, files),
    })),
  };
}

function evidenceOf(draft: DraftEvidence, files: ReadonlyMap<string, FileRow>): Static<typeof evidence> {
  const entries = Object.entries(draft);
  return {
    texts: Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    files: entries.flatMap(([, one]) => {
      const file = typeof one === 'string' ? undefined : files.get(one.file);
      return file === undefined ? [] : [shownFile(file)];
    }),
  };
}

export const shownFile = ({ id, name, type, bytes, sha256 }: FileRow): Static<typeof fileRecord> => ({
  id: publicId('fil', id),
  name,
  type,
  bytes,
  sha256,
});
