import type { Static } from 'typebox';
import { invalid } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce } from '../../../platform/postgres/idempotency-records.ts';
import { nowOf } from '../customers/read.ts';
import { readInvoice } from './close.ts';
import type { InvoiceDeps } from './deps.ts';
import { hold, lock, paymentRequestOf } from './payments.ts';
import { wholeOf } from './record.ts';
import { payableAmount } from './rules.ts';
import type { paidInvoice, payInput } from './schema.ts';
import type { LockedInvoice } from './statements.ts';

type PayInput = Static<typeof payInput>;
export type PaidInvoice = Static<typeof paidInvoice>;

const path = '/api/invoice/pay';

/**
 * Makes a payment of an invoice, of all that is left or of a part. What it takes is held under the invoice's lock from here
 * on, so that payments never exceed it; what becomes of the payment settles the invoice (settle.ts). Under an
 * Idempotency-Key a repeat gets the first answer.
 */
export async function payInvoice(
  input: PayInput,
  principal: Principal,
  deps: InvoiceDeps,
  idempotencyKey?: string,
): Promise<{ paid: PaidInvoice; replayed: boolean }> {
  const { database, clock } = deps;
  const { tenant_id: tenantId } = await readInvoice(database, input.id, principal);
  const realMs = clock();
  const work = async (transaction: Queryable): Promise<PaidInvoice> => {
    const [invoice] = (await lock(transaction, [{ tenantId, invoiceId: input.id }])) as [LockedInvoice];
    const transactionId = await begin(transaction, invoice, input, principal, deps);
    const now = await lock(transaction, [{ tenantId, invoiceId: input.id }]);
    return { invoice: await wholeOf(transaction, now[0] as LockedInvoice), transactionId };
  };
  const request = { tenantId, path, key: idempotencyKey, input, nowMs: realMs };
  const { answer, replayed } = await answerOnce(database, request, work);
  return { paid: answer, replayed };
}

async function begin(
  transaction: Queryable,
  invoice: LockedInvoice,
  input: PayInput,
  { userId }: Principal,
  { clock, drawUuid, creator }: InvoiceDeps,
): Promise<string> {
  const amount = payableAmount(invoice, input.amount, 'id');
  const channelId = input.channelId ?? invoice.channel_id ?? invoice.default_channel_id;
  if (channelId === null) {
    throw invalid('channelId', 'channelId is required: neither the invoice nor its customer names a channel.');
  }
  const request = { ...paymentRequestOf(invoice, drawUuid(), amount, channelId, input), userId };
  const [refusal] = await creator.createWithin(transaction, [request]);
  if (refusal !== undefined) throw refusal;
  const { tenantId, invoiceId, id: transactionId } = request;
  await hold(transaction, [{ tenantId, invoiceId, transactionId, amount, automatic: false }], nowOf(invoice, clock()));
  return publicId('txn', transactionId);
}
