import type { TransactionStatus } from './states.ts';

/**
 * A payment, as far as its money is concerned. Of one that is captured automatically the columns are null: its status
 * and amount say the same.
 */
export interface CapturedRow {
  status: TransactionStatus;
  amount: number;
  amount_capturable: number | null;
  amount_captured: number | null;
}

/** The money that was taken, before refunds: what refunds, invoices, statistics and the ledger know of a payment. */
export function capturedAmountOf({ status, amount, amount_captured }: Omit<CapturedRow, 'amount_capturable'>): number {
  return amount_captured ?? (status === 'SUCCESS' || status === 'REFUNDED' ? amount : 0);
}

/** The same in SQL, of a payment with this alias. */
export const capturedAmount = (t: string) =>
  `coalesce(${t}.amount_captured, case when ${t}.status in ('SUCCESS', 'REFUNDED') then ${t}.amount else 0 end)`;

/** Providers authorize the whole amount or nothing. */
export function authorizedAmountOf(row: CapturedRow): number {
  return isAuthorized(row) ? row.amount : capturedAmountOf(row);
}

/** Whether the provider has authorized the payment, to be captured by further requests. */
export function isAuthorized({ amount_capturable }: Pick<CapturedRow, 'amount_capturable'>): boolean {
  return amount_capturable !== null;
}

/** What a capture or a release of an authorized payment that is under way has reserved. */
export function reservedAmountOf({ amount, amount_captured, amount_capturable }: CapturedRow): number {
  return amount - (amount_captured ?? 0) - (amount_capturable ?? 0);
}
