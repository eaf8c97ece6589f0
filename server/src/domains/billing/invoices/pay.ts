import type { Static } from 'typebox';
import { invalid } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, requestHash } from '../../../platform/postgres/idempotency-records.ts';
import { customerNowMs } from '../customers/read.ts';
import { lockInvoices, paymentRequestOf, reserveAmounts } from './automatic-payments.ts';
import { readInvoice } from './close.ts';
import type { InvoiceDeps } from './deps.ts';
import { detailOf } from './record.ts';
import { requirePayableAmount } from './rules.ts';
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
    const [invoice] = (await lockInvoices(transaction, [{ tenantId, invoiceId: input.id }])) as [LockedInvoice];
    const transactionId = await begin(transaction, invoice, input, principal, deps);
    const now = await lockInvoices(transaction, [{ tenantId, invoiceId: input.id }]);
    return { invoice: await detailOf(transaction, now[0] as LockedInvoice), transactionId };
  };
  const { answer, replayed } =
    idempotencyKey === undefined
      ? { answer: await database.transaction(work), replayed: false }
      : await answerOnce(
          database,
          { tenantId, path, key: idempotencyKey, hash: requestHash(input), nowMs: realMs },
          work,
        );
  return { paid: answer, replayed };
}

async function begin(
  transaction: Queryable,
  invoice: LockedInvoice,
  input: PayInput,
  { userId }: Principal,
  { clock, drawUuid, creator }: InvoiceDeps,
): Promise<string> {
  const amount = requirePayableAmount(invoice, input.amount, 'id');
  const channelId = input.channelId ?? invoice.channel_id ?? invoice.default_channel_id;
  if (channelId === null) {
    throw invalid('channelId', 'channelId is required: neither the invoice nor its customer names a channel.');
  }
  const request = { ...paymentRequestOf(invoice, drawUuid(), amount, channelId, input), userId };
  const [refusal] = await creator.createWithin(transaction, [request]);
  if (refusal !== undefined) throw refusal;
  const { tenantId, invoiceId, id: transactionId } = request;
  await reserveAmounts(
    transaction,
    [{ tenantId, invoiceId, transactionId, amount, automatic: false }],
    customerNowMs(invoice, clock()),
  );
  return publicId('txn', transactionId);
}
