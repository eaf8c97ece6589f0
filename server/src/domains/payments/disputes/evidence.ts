import type { Static } from 'typebox';
import { invalid } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import { findAnswers } from './answer-statements.ts';
import { writeDispute } from './apply.ts';
import { type DisputeDetail, detailOf } from './detail.ts';
import { removeFile } from './file.ts';
import { lockedDispute, readDispute } from './read.ts';
import type { DisputeRow, DraftEvidence } from './record.ts';
import { fieldOf, requireAnswerable } from './rules.ts';
import type { evidenceInput } from './schema.ts';

const path = '/api/dispute/evidence';

/**
 * Changes the draft of the evidence: texts are merged by name, and null clears a text or a file. Nothing is sent until
 * it is submitted.
 */
export async function draftEvidence(
  { body: input, principal, idempotencyKey }: Call<Static<typeof evidenceInput>>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<DisputeDetail>> {
  const { database, clock } = app;
  const found = await readDispute(database, input.id, principal);
  const work = async (transaction: Queryable): Promise<DisputeDetail> => {
    const before = await lockedDispute(transaction, found);
    requireAnswerable(before, await transaction.run(findAnswers, [before.tenant_id, before.id]), 'SUBMIT');
    const evidence = mergedEvidence(before, input.evidence);
    for (const file of filesOf(before.evidence).filter((id) => !filesOf(evidence).includes(id))) {
      await removeFile(transaction, before, file, app);
    }
    const after = await writeDispute(transaction, before, { ...before, evidence }, [], app);
    // The texts may be about the payer.
    await appendAudit(transaction, principal, {
      action: 'dispute.evidence',
      tenantId: before.tenant_id,
      recordId: publicId('dsp', before.id),
      details: { names: Object.keys(input.evidence) },
    });
    return detailOf(transaction, after);
  };
  const request = { tenantId: found.tenant_id, path, key: idempotencyKey, input, nowMs: clock() };
  return answerOnce(database, request, work);
}

function mergedEvidence(row: DisputeRow, input: Readonly<Record<string, string | null>>): DraftEvidence {
  const merged: Record<string, DraftEvidence[string]> = { ...row.evidence };
  for (const [name, text] of Object.entries(input)) {
    const at = `evidence.${name}`;
    if (text === null) {
      delete merged[name];
      continue;
    }
    const { maxCharacters = Number.POSITIVE_INFINITY } = fieldOf(row, name, 'TEXT', at);
    if (text.length > maxCharacters) throw invalid(at, rule('too_long', { limit: maxCharacters }));
    merged[name] = text;
  }
  return merged;
}

/** The UUIDs of the files of a draft. */
export const filesOf = (evidence: DraftEvidence): string[] =>
  Object.values(evidence).flatMap((one) => (typeof one === 'string' ? [] : [one.file]));
