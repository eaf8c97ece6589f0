import { hash, randomBytes } from 'node:crypto';
import { dayMs, hourMs } from '../../../core/clock.ts';
import type { CheckoutRow } from './statements.ts';

/**
 * OPEN: it can be paid. PROCESSING: a payment is in progress, of the checkout or else of its invoice. EXPIRED: its time is
 * over, it was closed, or its invoice cannot be paid any more.
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

/** Whether the page is shown. The receipt stays for a day after a payment that came late, or after the link was closed. */
export function isShown(
  row: Pick<CheckoutRow, 'paid_at' | 'closed_at' | 'expires_at'>,
  status: CheckoutStatus,
  nowMs: number,
): boolean {
  if (status !== 'PAID') return status !== 'EXPIRED';
  const isOver = row.closed_at !== null || Date.parse(row.expires_at) <= nowMs;
  return !isOver || (row.paid_at !== null && nowMs < Date.parse(row.paid_at) + dayMs);
}

/** How long a checkout can be paid, if the request does not say: a payment link, and one to an invoice. */
export const lifetimeMs = { amount: dayMs, invoice: 30 * dayMs };
export const shortestLifetimeMs = 60_000;
export const longestLifetimeMs = 366 * dayMs;

/** Payments that one checkout takes. Most fail one or two times; a thief who tries card numbers needs more. */
export const maximumPayments = 10;

/** How long the provider can send the payer back to the page. */
export const returnMs = 2 * hourMs;

/** Checkouts that nobody paid on are deleted this long after they expired. */
export const unpaidRetentionMs = 90 * dayMs;

/** How long a link to the customer portal works. */
export const portalLifetimeMs = hourMs;

/** 256 random bits, for an address. */
export const newToken = () => randomBytes(32).toString('base64url');

/** Addresses with anything else are not looked up. */
export const isToken = (text: string) => /^[\w-]{43}$/.test(text);

/** Only the hash of a token is looked up by: read access to the database is not enough to open a page. */
export const hashOfToken = (token: string) => hash('sha256', token, 'buffer');

/** The place of storage that a token is sealed for: it cannot be opened from another place. */
export const tokenPlace = (tenantId: number, id: number) => `checkout/${tenantId}/${id}/token`;
