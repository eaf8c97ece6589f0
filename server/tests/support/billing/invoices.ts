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
