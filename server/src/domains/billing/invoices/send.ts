import type { Static } from 'typebox';
import { Refusal } from '../../../core/errors.ts';
import { livemodeMismatch } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { appendAudit } from '../../identity/audit/append.ts';
import type { BillingApp } from '../app.ts';
import { requestMail } from '../customer-mails/request.ts';
import { readCustomer } from '../customers/read.ts';
import { readInvoice } from './read.ts';
import type { sendInput, sentInvoice } from './schema.ts';
import type { InvoiceRow } from './statements.ts';

const path = '/api/invoice/send';

/**
 * Mails an invoice to its customer: one that is open to be paid, as a reminder once it is overdue, and one that is paid
 * as a receipt. The mail is queued in the transaction of the audit entry, and sent by the worker. With an idempotency
 * key, a repeated request gets the first answer and sends nothing.
 */
export async function sendInvoice(
  { id }: Static<typeof sendInput>,
  principal: Principal,
  { database, clock, generateUuid }: BillingApp,
  idempotencyKey: string | undefined,
): Promise<IdempotentAnswer<Static<typeof sentInvoice>>> {
  const invoice = await readInvoice(database, id, principal);
  const tenantId = invoice.tenant_id;
  const request = { tenantId, path, key: idempotencyKey, input: { id }, nowMs: clock() };
  return answerOnce(database, request, async (transaction) => {
    const kind = kindFor(invoice);
    const { email } = await readCustomer(transaction, invoice.customer_id, principal);
    if (email === null) {
      throw new Refusal('customer_without_email', 'The customer has no mail address.', {
        field: 'id',
        details: { customerId: invoice.customer_id },
      });
    }
    await requestMail(transaction, invoice, kind, generateUuid());
    await appendAudit(transaction, principal, { action: 'invoice.send', tenantId, recordId: id });
    return { id, email };
  });
}

function kindFor({ livemode, status }: InvoiceRow): 'INVOICE' | 'RECEIPT' {
  if (!livemode) throw livemodeMismatch('id', rule('no_mails_of_test'));
  if (status === 'OPEN') return 'INVOICE';
  if (status === 'PAID') return 'RECEIPT';
  throw new Refusal('invoice_not_payable', rule('invoice_not_sent', { status }), { field: 'id' });
}
