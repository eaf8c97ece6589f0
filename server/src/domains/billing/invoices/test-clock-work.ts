import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { operationsDue } from '../../payments/operations/open.cte.ts';
import type { ClockKey, TestClockWork } from '../test-clocks/worker.ts';
import { invoicesDue } from './settle-statements.ts';

/**
 * Payments of this clock's customers whose end comes by itself: their provider is about to be asked, or their invoice does
 * not know of it yet. One that waits for its payer, or for an update, holds no clock up.
 */
const hasPaymentsInProgress = statement<{ under_way: boolean }>(
  'invoices.under_way_by_clock',
  `select exists (
     select 1
       from customer c
       join invoice i on i.tenant_id = c.tenant_id and i.customer_id = c.id
       join invoice_payment p on p.tenant_id = i.tenant_id and p.invoice_id = i.id
      where c.tenant_id = $1 and c.clock_id = $2
        and ((p.state <> 'OPEN' and p.applied_at is null)
             or (p.state = 'OPEN' and exists (
               select 1 from provider_operation o
                where o.tenant_id = p.tenant_id and o.transaction_id = p.transaction_id
                  and o.state in ('READY', 'CALLING', 'UNKNOWN'))))
   ) as under_way`,
);

/** Nothing of an invoice is due by itself; what its payments are doing holds its customer's clock up. */
export const invoiceTestClockWork: TestClockWork = {
  nextDueMs: async () => null,
  isInProgress: async (moment: Queryable, { tenantId, clockId }: ClockKey) => {
    const [row] = await moment.run(hasPaymentsInProgress, [tenantId, clockId]);
    return row?.under_way ?? false;
  },
  topics: [operationsDue, invoicesDue],
};
