import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { refuseTestKey } from '../../../core/livemode.ts';
import { type Principal, seesAllTenants } from '../../../core/principal.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import { type IdempotentAnswer, onceFor } from '../../../platform/postgres/idempotency-records.ts';
import type { IdentityApp } from '../app.ts';
import { appendAudit } from '../audit/append.ts';
import { imageOf } from './image.ts';
import { requirePlaceholders } from './mail-texts.ts';
import type { sellerInput, sellerRecord } from './seller-schema.ts';
import { findSeller, type SellerRow, updateSeller } from './seller-statements.ts';
import { lockTenant } from './statements.ts';

type SellerRecord = Static<typeof sellerRecord>;

/** The seller of the caller's tenant, or for a platform administrator of any. */
export async function readSeller(
  { query: { id }, principal }: Call<unknown, { id: number }>,
  { database }: IdentityApp,
): Promise<SellerRecord> {
  requireOwn(id, principal);
  const [row] = await database.run(findSeller, [id]);
  if (row === undefined) throw notFound('tenant', id);
  return recordOf(row);
}

/** A foreign tenant gets the same refusal as one that does not exist. */
function requireOwn(id: number, principal: Principal): void {
  if (id !== principal.tenantId && !seesAllTenants(principal)) throw notFound('tenant', id);
}

/** Changes how a tenant presents itself to payers. Fields that are left out keep their values. */
export async function modifySeller(
  { body: input, principal, idempotencyKey }: Call<Static<typeof sellerInput>>,
  { database, clock }: IdentityApp,
): Promise<IdempotentAnswer<SellerRecord>> {
  const { id } = input;
  refuseTestKey(principal, 'change the seller');
  requireOwn(id, principal);
  const { name, address, taxId, brandColor, logo, customerMails, mailLanguage, mailTexts } = input;
  if (mailTexts != null) requirePlaceholders(mailTexts);
  const image = logo == null ? logo : imageOf(logo);
  if (image === null && logo !== null)
    throw invalid('logo', 'logo must be a PNG or JPEG file of at most 40 KiB, in base64.');
  const nowMs = clock();
  const once = onceFor(database, {
    tenantId: principal.tenantId,
    path: '/api/seller/modify',
    key: idempotencyKey,
    input,
    nowMs,
  });
  return once(async (transaction) => {
    await transaction.run(lockTenant, [id]);
    const [before] = await transaction.run(findSeller, [id]);
    if (before === undefined) throw notFound('tenant', id);
    await transaction.run(updateSeller, [
      ...[id, name ?? null, new Date(nowMs)],
      ...given(address && JSON.stringify(address), address),
      ...given(taxId, taxId),
      ...given(brandColor?.toLowerCase(), brandColor),
      ...[image !== undefined, image?.bytes ?? null, image?.type ?? null],
      ...[customerMails ?? null, mailLanguage ?? null],
      ...given(mailTexts && JSON.stringify(mailTexts), mailTexts),
    ]);
    const [after] = (await transaction.run(findSeller, [id])) as [SellerRow];
    requireStepUpToChangeSeller(recordOf(before), recordOf(after), principal, nowMs);
    await appendAudit(transaction, principal, {
      ...{ action: 'tenant.update', tenantId: id, recordId: id },
      before: auditedOf(before),
      after: auditedOf(after),
    });
    return recordOf(after);
  });
}

/** Invoices and mails tell payers with these whom they pay, and to which account. */
const toldToPayers = ['name', 'address', 'taxId', 'mailTexts'] as const;

/** Refuses (`step_up_required`) a change of what tells payers where their money goes. */
export function requireStepUpToChangeSeller(
  before: Partial<SellerRecord>,
  after: Partial<SellerRecord>,
  principal: Principal,
  nowMs: number,
): void {
  if (toldToPayers.every((field) => isDeepStrictEqual(before[field], after[field]))) return;
  requireStepUp(principal, nowMs, 'Changing the name, address, tax number or mails of a seller');
}

/** Whether a field is given, and its value; null clears it. */
const given = (value: unknown, input: unknown) => [input !== undefined, value ?? null];

export function recordOf(row: SellerRow): SellerRecord {
  return {
    id: row.id,
    name: row.name,
    address: row.address,
    taxId: row.tax_id,
    brandColor: row.brand_color,
    logo: row.logo === null ? null : `data:${row.logo_type};base64,${row.logo.toString('base64')}`,
    customerMails: row.customer_mails,
    mailLanguage: row.mail_language,
    mailTexts: row.mail_texts,
    updatedTime: row.updated_at ?? row.created_at,
  };
}

/** The audit log has the type and size of the logo, not the picture. */
const auditedOf = (row: SellerRow) => ({
  ...recordOf(row),
  logo: row.logo === null ? null : `${row.logo_type}, ${row.logo.length} bytes`,
});
