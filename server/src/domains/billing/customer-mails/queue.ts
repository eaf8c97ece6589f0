import type { GenerateUuid } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { insertMails, type MailOccasion, mailColumns } from './statements.ts';

/**
 * Queues mails to customers in the transaction of the change that they report. No mails are sent about test invoices or
 * for tenants without `customerMails`.
 */
export async function queueMails(
  transaction: Queryable,
  occasions: readonly MailOccasion[],
  generateUuid: GenerateUuid,
): Promise<void> {
  const live = occasions.filter(({ invoice }) => invoice.livemode);
  if (live.length === 0) return;
  const mails = live.map((occasion) => ({ ...occasion, id: generateUuid() }));
  await transaction.run(insertMails, mailColumns.parametersOf(mails));
}
