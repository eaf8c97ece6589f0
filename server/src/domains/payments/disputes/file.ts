import { hash } from 'node:crypto';
import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { PaymentsApp } from '../app.ts';
import type { EvidenceField, EvidenceFileType } from '../providers/dispute.ts';
import { findAnswers } from './answer-statements.ts';
import { writeDispute } from './apply.ts';
import { type fileRecord, shownFile } from './detail.ts';
import { pagesOfPdf, typeOfContent } from './file-content.ts';
import { deleteUnsentFile, insertFile } from './file-statements.ts';
import { lockedDispute, readDispute } from './read.ts';
import { fieldOf, requireAnswerable } from './rules.ts';
import type { fileQuery } from './schema.ts';

type FileRecord = Static<typeof fileRecord>;

const path = '/api/dispute/file';

/** The associated data of a file's content, which is sealed in base64. */
export const fileAssociatedData = ({ tenant_id, id }: { tenant_id: number; id: string }) =>
  `dispute_file/${tenant_id}/${id}/content`;

/**
 * Adds a file to the draft of the evidence, in place of the one of this name. It is checked by its content against what
 * the provider takes (`file_not_accepted`), and kept sealed.
 */
export async function addFile(
  { query: { id: idOnWire, name }, rawBody, principal, idempotencyKey }: Call<unknown, Static<typeof fileQuery>>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<FileRecord>> {
  const { database, clock, generateUuid, seal, settings } = app;
  const found = await readDispute(database, idOnWire, principal);
  const sha256 = hash('sha256', rawBody, 'hex');
  const work = async (transaction: Queryable): Promise<FileRecord> => {
    const before = await lockedDispute(transaction, found);
    requireAnswerable(before, await transaction.run(findAnswers, [before.tenant_id, before.id]), 'SUBMIT');
    const field = fieldOf(before, name, 'FILE', 'name');
    const type = acceptedType(rawBody, field, settings['app.dispute.file-max-bytes']);
    const file = { id: generateUuid(), name, type, bytes: rawBody.length, sha256 };
    const { tenant_id } = before;
    const sealed = seal(rawBody.toString('base64'), fileAssociatedData({ tenant_id, id: file.id }));
    const values = [tenant_id, file.id, before.id, name, type, file.bytes, sha256, sealed, principal.userId, clock()];
    await transaction.run(insertFile, values);
    const former = before.evidence[name];
    if (typeof former === 'object') await transaction.run(deleteUnsentFile, [tenant_id, before.id, former.file]);
    const evidence = { ...before.evidence, [name]: { file: file.id } };
    await writeDispute(transaction, before, { ...before, evidence }, [], app);
    const recordId = publicId('dsp', before.id);
    const details = { name, type, bytes: file.bytes, sha256 };
    await appendAudit(transaction, principal, { action: 'dispute.file', tenantId: tenant_id, recordId, details });
    return shownFile(file);
  };
  const input = { id: idOnWire, name, sha256 };
  const request = { tenantId: found.tenant_id, path, key: idempotencyKey, input, nowMs: clock() };
  return answerOnce(database, request, work);
}

function acceptedType(content: Buffer, field: EvidenceField, maximumBytes: number): EvidenceFileType {
  const { fileTypes = [], maxBytes = maximumBytes, maxPages } = field;
  const most = Math.min(maxBytes, maximumBytes);
  if (content.length > most) throw notAccepted(rule('file_bytes', { bytes: content.length, limit: most }));
  const type = typeOfContent(content);
  if (type === undefined || (fileTypes.length > 0 && !fileTypes.includes(type))) {
    throw notAccepted(rule('file_type', { given: type ?? '?', allowed: fileTypes }));
  }
  if (type !== 'application/pdf') return type;
  const pages = pagesOfPdf(content);
  if (pages === undefined) throw notAccepted(rule('file_unreadable'));
  if (maxPages !== undefined && pages > maxPages) {
    throw notAccepted(rule('file_pages', { pages, limit: maxPages }));
  }
  return type;
}

const notAccepted = (broken: BrokenRule) => new Refusal('file_not_accepted', broken);
