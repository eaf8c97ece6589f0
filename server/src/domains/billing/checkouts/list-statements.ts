import { Type } from 'typebox';
import { long } from '../../../platform/http/shapes.ts';
import { createdFilters } from '../../../platform/lists/created.cte.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { listStatements } from '../../../platform/lists/list-statements.ts';
import { modeFilter } from '../../../platform/lists/modes.cte.ts';
import { amountToReturn, type CheckoutRow, checkoutColumns, isPaid, isPayable, isProcessing } from './statements.ts';

/** Whether a checkout that is neither paid nor being paid can still be paid at a time (ms). */
const isOpen = (at: string) =>
  `not ${isPaid} and not ${isProcessing} and ${isPayable} and c.closed_at is null and c.expires_at > ` +
  `to_timestamp(${at} / 1000)`;

/** The filters of the list, on `checkout c`. */
export const checkoutFilters = listFilters({
  invoiceId: {
    field: Type.Optional(long('Only checkouts of this invoice.')),
    type: 'bigint',
    condition: (value) => `c.invoice_id = ${value}`,
  },
  customerId: {
    field: Type.Optional(long('Only checkouts of this customer.')),
    type: 'bigint',
    condition: (value) => `c.customer_id = ${value}`,
  },
  toReturn: {
    field: Type.Optional(Type.Boolean({ description: 'true: only checkouts with an `amountToReturn`.' })),
    type: 'boolean',
    condition: (value) => `(not ${value} or ${amountToReturn} > 0)`,
    counted: false,
  },
  ...createdFilters('c.created_at'),
  modes: modeFilter('c.livemode'),
  /** The filters for `status`, which also depends on the time (`statusOf`). */
  paid: { type: 'boolean', condition: () => isPaid },
  processing: { type: 'boolean', condition: () => `not ${isPaid} and ${isProcessing}` },
  openAtMs: { type: 'float8', condition: isOpen },
  expiredAtMs: {
    type: 'float8',
    condition: (at) => `not ${isPaid} and not ${isProcessing} and not (${isOpen(at)})`,
  },
});

export const statements = listStatements<CheckoutRow, 'invoiceId' | 'customerId'>(
  'checkouts',
  { from: 'checkout c', alias: 'c', key: 'bigint' },
  checkoutColumns,
  checkoutFilters,
  ['invoiceId', 'customerId'],
);
