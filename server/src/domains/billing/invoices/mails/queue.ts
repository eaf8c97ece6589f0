import type { DrawUuid } from '../../../../core/id.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { InvoiceRow } from '../statements.ts';
import { insertMails, type MailKind, mailColumns } from './statements.ts';

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
  const mails = live.map((occasion) => ({ ...occasion, id: drawUuid() }));
  await transaction.run(insertMails, mailColumns.parametersOf(mails));
}
