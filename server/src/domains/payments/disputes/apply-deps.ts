import type { Clock } from '../../../core/clock.ts';
import type { GenerateUuid } from '../../../core/id.ts';
import type { Transactional } from '../../../platform/postgres/database.ts';
import type { MethodCustomers } from '../methods/customers.ts';
import type { OverdrawnDeps } from '../operations/discrepancies/overdrawn.ts';
import type { Settler } from '../operations/settle.ts';
import type { InvoicePayments } from '../transactions/invoice-payments.ts';
import type { Payments } from '../transactions/payments.ts';
import type { ObserveDispute } from './metrics.ts';

/** What is needed to write what a provider says. */
export interface ApplyDeps {
  database: Transactional;
  payments: Pick<Payments, 'lockInvoices' | 'lock' | 'transition'>;
  settler: Pick<Settler, 'reportDifference' | 'failUnsent'>;
  methodCustomers: MethodCustomers;
  invoicePayments: Pick<InvoicePayments, 'followDispute' | 'settleExcess'>;
  /** Log and count discrepancies that are new: too much was given back, a dispute in another currency. */
  onOverdrawn: OverdrawnDeps['onOverdrawn'];
  onOtherCurrency: OverdrawnDeps['onOverdrawn'];
  /** Counts the events of disputes. */
  observeDispute: ObserveDispute;
  clock: Clock;
  generateUuid: GenerateUuid;
}
