import { dataOf, unique } from '../factories.ts';
import { eventually, type TestDatabase } from '../postgres/database.ts';
import type { TestFlorin } from '../service/florin.ts';

/** Creates a customer over the API and returns its id. */
export async function makeCustomer(
  florin: Pick<TestFlorin, 'post'>,
  as: string,
  changes: Record<string, unknown> = {},
): Promise<number> {
  return dataOf(await florin.post('/api/customer/modify', { name: unique('Customer'), ...changes }, as)).id;
}

/**
 * Creates a customer whose token, `sandbox:succeed` unless `changes` name another, is the default payment method by
 * now.
 */
export async function makePayingCustomer(
  service: Pick<TestFlorin, 'get' | 'post'>,
  as: string,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const id = await makeCustomer(service, as, { paymentMethod: 'sandbox:succeed', ...changes });
  await defaultMethodAfter(service, as, id, null);
  return id;
}

/** Gives a customer a token, and waits until it is the default payment method. Returns its id. */
export async function replaceMethod(
  service: Pick<TestFlorin, 'get' | 'post'>,
  as: string,
  id: number,
  paymentMethod: string,
): Promise<string> {
  const former = dataOf(await service.get(`/api/customer/detail?id=${id}`, as)).defaultMethodId;
  dataOf(await service.post('/api/customer/modify', { id, paymentMethod }, as));
  return defaultMethodAfter(service, as, id, former);
}

function defaultMethodAfter(
  service: Pick<TestFlorin, 'get'>,
  as: string,
  id: number,
  former: string | null,
): Promise<string> {
  return eventually(`customer ${id} has another default payment method`, async () => {
    const { defaultMethodId } = dataOf(await service.get(`/api/customer/detail?id=${id}`, as));
    return defaultMethodId !== former && defaultMethodId;
  });
}

/** Inserts a payment method that can be charged: the default of a customer of the tenant of the channel. */
export async function insertDefaultMethod(
  { query }: Pick<TestDatabase, 'query'>,
  customerId: number,
  channelId: number,
  reference: Buffer = Buffer.from('{}'),
): Promise<void> {
  await query(
    `insert into payment_method (tenant_id, id, livemode, customer_id, channel_id, provider, type, agreement, status,
                                 is_default, reference_sealed, created_at, updated_at)
     select c.tenant_id, gen_random_uuid(), c.livemode, c.id, channel.id, channel.provider, 'card', 'SUBSCRIPTION',
            'ACTIVE', true, $3, now(), now()
       from customer c, channel
      where c.id = $1 and channel.id = $2`,
    [customerId, channelId, reference],
  );
}

/** Creates a DRAFT over 1000 USD cents; `changes` replace input fields. */
export async function makeDraft(
  florin: Pick<TestFlorin, 'post'>,
  as: string,
  customerId: number,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const lines = [{ description: 'Bread', quantity: 4, unitAmount: 250 }];
  const input = { customerId, currency: 'USD', lines, ...changes };
  return dataOf(await florin.post('/api/invoice/create', input, as)).id;
}

/** Creates and finalizes an invoice, as `makeDraft`. */
export async function makeInvoice(
  florin: Pick<TestFlorin, 'post'>,
  as: string,
  customerId: number,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const id = await makeDraft(florin, as, customerId, changes);
  dataOf(await florin.post('/api/invoice/finalize', { id }, as));
  return id;
}

/** Reads an invoice after all its ended payments are settled. */
export async function settledInvoice(florin: Pick<TestFlorin, 'get'>, as: string, id: number, { query }: TestDatabase) {
  await eventually(`the payments of invoice ${id} are settled`, async () => {
    const unsettled = await query(
      `select 1 from invoice_payment where invoice_id = $1 and state <> 'OPEN' and applied_at is null`,
      [id],
    );
    return unsettled.length === 0;
  });
  return dataOf(await florin.get(`/api/invoice/detail?id=${id}`, as));
}

/** The types of the events about payments of an invoice, in order. */
export async function paymentEventsOfInvoice({ query }: TestDatabase, id: number): Promise<string[]> {
  const rows = await query<{ type: string }>(
    `select type from event where object_id = $1 and type in ('invoice.paid', 'invoice.payment_failed') order by id`,
    [`inv_${id}`],
  );
  return rows.map(({ type }) => type);
}
