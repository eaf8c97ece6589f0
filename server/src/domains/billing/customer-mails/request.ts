import { uuidTimeMs } from '../../../core/id.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { invoiceMailsDue, type MailKind } from './statements.ts';

/** Values: tenant, id, invoice, kind, due in ms. */
const insertRequested = statement(
  'invoice_mails.insert_requested',
  `insert into invoice_mail (tenant_id, id, invoice_id, kind, requested, due_at)
   values ($1, $2, $3, $4, true, to_timestamp($5::float8 / 1000))`,
  { wakes: [{ topic: invoiceMailsDue }] },
);

/** Queues a mail that a person asked for, whether or not the tenant mails its customers by itself. */
export async function requestMail(
  transaction: Queryable,
  { tenant_id, id }: { tenant_id: number; id: number },
  kind: MailKind,
  mailId: string,
): Promise<void> {
  await transaction.run(insertRequested, [tenant_id, mailId, id, kind, uuidTimeMs(mailId)]);
}
