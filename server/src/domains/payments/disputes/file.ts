import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import type { EvidenceField, EvidenceFileType } from '../providers/dispute.ts';
import type { RawBody } from '../raw-bodies/raw-bodies.ts';
import { findAnswers } from './answer-statements.ts';
import { writeDispute } from './apply.ts';
import { type fileRecord, shownFile } from './detail.ts';
import { type FileContent, FileInspection } from './file-content.ts';
import { deleteUnsentFile, insertFile } from './file-statements.ts';
import { lockedDispute, readDispute } from './read.ts';
import type { DisputeRow } from './record.ts';
import { fieldOf, requireAnswerable } from './rules.ts';
import type { fileQuery } from './schema.ts';

type FileRecord = Static<typeof fileRecord>;

const path = '/api/dispute/file';

/**
 * Adds a file to the draft of the evidence, in place of the one of this name. It is stored while it arrives, checked by
 * its content against what the provider takes (`file_not_accepted`), and kept sealed.
 */
export async function addFile(
  { query: { id: idOnWire, name }, bodyStream, headers, principal, idempotencyKey }: FileCall,
  app: PaymentsApp,
): Promise<IdempotentAnswer<FileRecord>> {
  const { database, clock, rawBodies, settings } = app;
  const found = await readDispute(database, idOnWire, principal);
  const { tenant_id: tenantId } = found;
  const maximumBytes = settings['app.dispute.file-max-bytes'];
  const inspection = new FileInspection();
  const body = await rawBodies.receive(bodyStream, {
    tenantId,
    maximumBytes,
    tooLarge: (bytes) => notAccepted(rule('file_bytes', { bytes, limit: maximumBytes })),
    announcedBytes: Number(headers['content-length'] ?? 0),
    inspect: (chunk) => inspection.push(chunk),
  });
  const content = inspection.end();
  const work = (transaction: Queryable) => keepFile(transaction, found, { name, body, content, principal }, app);
  const input = { id: idOnWire, name, sha256: body.sha256 };
  const request = { tenantId, path, key: idempotencyKey, input, nowMs: clock() };
  const saved = await answerOnce(database, request, work).catch(async (error: unknown) => {
    await rawBodies.discard(body);
    throw error;
  });
  if (saved.replayed) await rawBodies.discard(body);
  return saved;
}

type FileCall = Call<unknown, Static<typeof fileQuery>>;

interface NewFile {
  name: string;
  body: RawBody;
  content: FileContent;
  principal: Principal;
}

/** Checks a file that is stored, and adds it to the draft. The file has the id of its body. */
async function keepFile(
  transaction: Queryable,
  found: DisputeRow,
  { name, body, content, principal }: NewFile,
  app: PaymentsApp,
): Promise<FileRecord> {
  const { rawBodies, clock } = app;
  const before = await lockedDispute(transaction, found);
  const { tenant_id } = before;
  requireAnswerable(before, await transaction.run(findAnswers, [tenant_id, before.id]), 'SUBMIT');
  const { id, bytes, sha256 } = body;
  const type = acceptedType(content, bytes, fieldOf(before, name, 'FILE', 'name'));
  const file = { id, name, type, bytes, sha256 };
  await rawBodies.keep(transaction, body);
  await transaction.run(insertFile, [tenant_id, id, before.id, name, type, bytes, sha256, principal.userId, clock()]);
  const former = before.evidence[name];
  if (typeof former === 'object') await removeFile(transaction, before, former.file, app);
  const evidence = { ...before.evidence, [name]: { file: id } };
  await writeDispute(transaction, before, { ...before, evidence }, [], app);
  await appendAudit(transaction, principal, {
    action: 'dispute.file',
    tenantId: tenant_id,
    recordId: publicId('dsp', before.id),
    details: { name, type, bytes, sha256 },
  });
  return shownFile(file);
}

/** Removes a file from the draft, with its content unless an answer has sent it. */
export async function removeFile(
  transaction: Queryable,
  { tenant_id: tenantId, id: disputeId }: DisputeRow,
  file: string,
  { rawBodies }: Pick<PaymentsApp, 'rawBodies'>,
): Promise<void> {
  const deleted = await transaction.run(deleteUnsentFile, [tenantId, disputeId, file]);
  for (const { id } of deleted) await rawBodies.remove(transaction, { tenantId, id });
}

function acceptedType({ type, pages }: FileContent, bytes: number, field: EvidenceField): EvidenceFileType {
  const { fileTypes = [], maxBytes, maxPages } = field;
  if (maxBytes !== undefined && bytes > maxBytes) throw notAccepted(rule('file_bytes', { bytes, limit: maxBytes }));
  if (type === undefined || (fileTypes.length > 0 && !fileTypes.includes(type))) {
    throw notAccepted(rule('file_type', { given: type ?? '?', allowed: fileTypes }));
  }
  if (type !== 'application/pdf') return type;
  if (pages === undefined) throw notAccepted(rule('file_unreadable'));
  if (maxPages !== undefined && pages > maxPages) {
    throw notAccepted(rule('file_pages', { pages, limit: maxPages }));
  }
  return type;
}

const notAccepted = (broken: BrokenRule) => new Refusal('file_not_accepted', broken);
