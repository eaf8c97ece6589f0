import type { Static } from 'typebox';
import type { Call } from '../../../platform/http/route.ts';
import type { BillingApp } from '../app.ts';
import { readCustomer } from './read.ts';
import type { customerSummary } from './schema.ts';
import { sumPayments } from './statements.ts';

/** What a customer has paid, by currency. */
export async function summarizeCustomer(
  { query: { id }, principal }: Call<unknown, { id: number }>,
  { listDatabase }: BillingApp,
): Promise<Static<typeof customerSummary>> {
  const customer = await readCustomer(listDatabase, id, principal);
  const rows = await listDatabase.run(sumPayments, [customer.tenant_id, id]);
  const currencies = rows.map(({ currency, payments, captured, refunded, disputed }) => ({
    currency,
    payments,
    amountCaptured: captured,
    amountRefunded: refunded,
    amountDisputed: disputed,
  }));
  return { id, livemode: customer.livemode, currencies };
}
