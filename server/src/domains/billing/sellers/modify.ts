import type { Static } from 'typebox';
import { invalid, notFound } from '../../../core/errors.ts';
import { refuseTestKey } from '../../../core/livemode.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { type IdempotentAnswer, onceFor } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import { requireStepUpToChange, toldToPayers } from '../../identity/tenants/rules.ts';
import type { TenantSellerChanges } from '../../identity/tenants/sellers.ts';
import { lockTenant, renameTenant } from '../../identity/tenants/statements.ts';
import type { BillingApp } from '../app.ts';
import { type Image, imageOf } from './image.ts';
import { type MailTexts, requirePlaceholders } from './mail-texts.ts';
import { requireOwn } from './read.ts';
import { recordOf, type SellerRecord } from './record.ts';
import type { sellerInput } from './schema.ts';
import { findSeller, type SellerRow, saveSeller } from './statements.ts';

/** Changes how a tenant presents itself to payers. Fields that are left out keep their values. */
export async function modifySeller(
  { body: input, principal, idempotencyKey }: Call<Static<typeof sellerInput>>,
  { database, clock }: BillingApp,
): Promise<IdempotentAnswer<SellerRecord>> {
  const { id, name, logo, mailTexts } = input;
  refuseTestKey(principal, 'change the seller');
  requireOwn(id, principal);
  if (mailTexts != null) requirePlaceholders(mailTexts);
  const image = logo == null ? logo : imageOf(logo);
  if (image === null && logo !== null) throw invalid('logo', rule('logo_file'));
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
    await transaction.run(renameTenant, [id, name ?? null, new Date(nowMs)]);
    await writeSeller(transaction, id, { ...input, image });
    const [after] = (await transaction.run(findSeller, [id])) as [SellerRow];
    requireStepUpToChange([...toldToPayers, 'mailTexts'], recordOf(before), recordOf(after), principal, nowMs);
    await appendAudit(transaction, principal, {
      ...{ action: 'tenant.update', tenantId: id, recordId: id },
      before: auditedOf(before),
      after: auditedOf(after),
    });
    return recordOf(after);
  });
}

interface SellerChanges extends TenantSellerChanges {
  brandColor?: string | null | undefined;
  image?: Image | null | undefined;
  mailTexts?: MailTexts | null | undefined;
  dueDays?: number | undefined;
}

/** In the transaction that creates the tenant, or has locked it. Fields that are left out keep their values. */
export async function writeSeller(transaction: Queryable, tenantId: number, changes: SellerChanges): Promise<void> {
  const { address, taxId, brandColor, image, customerMails, mailLanguage, mailTexts } = changes;
  const { reopenInvoices, dueDays } = changes;
  await transaction.run(saveSeller, [
    tenantId,
    ...given(address && JSON.stringify(address), address),
    ...given(taxId, taxId),
    ...given(brandColor?.toLowerCase(), brandColor),
    ...[image !== undefined, image?.bytes ?? null, image?.type ?? null],
    ...[customerMails ?? null, mailLanguage ?? null],
    ...given(mailTexts && JSON.stringify(mailTexts), mailTexts),
    reopenInvoices ?? null,
    dueDays ?? null,
  ]);
}

/** Whether a field is given, and its value; null clears it. */
const given = (value: unknown, input: unknown) => [input !== undefined, value ?? null];

/** The audit log has the type and size of the logo, not the picture. */
const auditedOf = (row: SellerRow) => ({
  ...recordOf(row),
  logo: row.logo === null ? null : `${row.logo_type}, ${row.logo.length} bytes`,
});
