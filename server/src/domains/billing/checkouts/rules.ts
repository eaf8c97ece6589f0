import { hash, randomBytes } from 'node:crypto';
import { dayMs, hourMs } from '../../../core/clock.ts';
import type { CheckoutOnPage, CheckoutRow } from './statements.ts';

/**
 * OPEN: it can be paid. PROCESSING: a payment of the checkout or its invoice is in progress. EXPIRED: its time is over,
 * it was closed, or its invoice can no longer be paid.
 */
export const checkoutStatuses = ['OPEN', 'PROCESSING', 'PAID', 'EXPIRED'] as const;
export type CheckoutStatus = (typeof checkoutStatuses)[number];

export function statusOf(
  row: Pick<CheckoutRow, 'is_paid' | 'is_processing' | 'is_payable' | 'closed_at' | 'expires_at'>,
  nowMs: number,
): CheckoutStatus {
  if (row.is_paid) return 'PAID';
  if (row.is_processing) return 'PROCESSING';
  const isOver = row.closed_at !== null || Date.parse(row.expires_at) <= nowMs;
  return isOver || !row.is_payable ? 'EXPIRED' : 'OPEN';
}

/**
 * Whether the newest payment waits for its payer at a provider, or for money on a channel without a provider: nothing
 * happens until a person does something.
 */
export function isWaiting({
  payment_status: status,
  provider,
  next_action,
}: Pick<CheckoutOnPage, 'payment_status' | 'provider' | 'next_action'>): boolean {
  return (status === 'PENDING' || status === 'PROCESSING') && (provider === null || next_action !== null);
}

/**
 * Whether the page is shown. The receipt is shown for at least a day after the payment, even after the checkout is
 * closed.
 */
export function isShown(
  row: Pick<CheckoutRow, 'paid_at' | 'closed_at' | 'expires_at'>,
  status: CheckoutStatus,
  nowMs: number,
): boolean {
  if (status !== 'PAID') return status !== 'EXPIRED';
  const isOver = row.closed_at !== null || Date.parse(row.expires_at) <= nowMs;
  return !isOver || (row.paid_at !== null && nowMs < Date.parse(row.paid_at) + dayMs);
}

/** How long a checkout for an amount, or for an invoice, can be paid by default. */
export const lifetimeMs = { amount: dayMs, invoice: 30 * dayMs };
export const shortestLifetimeMs = 60_000;
export const longestLifetimeMs = 366 * dayMs;

/** The most payments of one checkout. Payers need one to three; a thief who tests card numbers needs more. */
export const maximumPayments = 10;

/** The most payment methods that a page shows. */
export const maximumMethods = 20;

/** How long the return URL for the provider works. */
export const returnMs = 2 * hourMs;

/** Checkouts without a payment are deleted this long after they expire. */
export const unpaidRetentionMs = 90 * dayMs;

/** How long a link to the customer portal works. */
export const portalLifetimeMs = hourMs;

/** 256 random bits, for a URL. */
export const newToken = () => randomBytes(32).toString('base64url');

/** Anything else is not looked up. */
export const isToken = (text: string) => /^[\w-]{43}$/.test(text);

/** Tokens are looked up by their hash, so that read access to the database is not enough to open a page. */
export const hashOfToken = (token: string) => hash('sha256', token, 'buffer');

/** The associated data of a token: where it is stored. It does not open elsewhere. */
export const tokenAssociatedData = (tenantId: number, id: number) => `checkout/${tenantId}/${id}/token`;
