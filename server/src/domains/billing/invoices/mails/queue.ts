import { type DrawUuid, uuidTimeMs } from '../../../../core/id.ts';
import { plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { InvoiceRow } from '../statements.ts';
import { insertMails, type MailKind } from './statements.ts';

/** What a mail reports. */
export interface MailOccasion {
  kind: MailKind;
  invoice: InvoiceRow;
}

/**
 * Writes mails to customers in the transaction of what they report. Nobody is mailed about test invoices, or by tenants that
 * did not ask for it (`customerMails`).
 */
export async function queueMails(
  transaction: Queryable,
  occasions: readonly MailOccasion[],
  drawUuid: DrawUuid,
): Promise<void> {
  const live = occasions.filter(({ invoice }) => invoice.livemode);
  if (live.length === 0) return;
  const ids = live.map(() => drawUuid());
  await transaction.run(insertMails, [
    plainArray(ids),
    plainArray(live.map(({ invoice }) => invoice.tenant_id)),
    plainArray(live.map(({ invoice }) => invoice.id)),
    plainArray(live.map(({ invoice }) => invoice.customer_id)),
    textArray(live.map(({ kind }) => kind)),
    textArray(live.map(({ invoice }) => invoice.next_payment_attempt)),
    plainArray(ids.map(uuidTimeMs)),
  ]);
}
