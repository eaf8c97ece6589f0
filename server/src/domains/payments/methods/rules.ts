import { dayMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { providersWithoutMethodEvents } from '../providers/directory.ts';
import type { FailureCode } from '../providers/failures.ts';
import type { MethodType } from '../providers/kept-method.ts';
import type { MethodRow } from './record.ts';
import type { MethodStatus } from './states.ts';

/** Debits: the payer has to agree to them by a mandate. */
export const debitTypes: ReadonlySet<MethodType> = new Set([
  'sepa_debit',
  'bacs_debit',
  'ach_debit',
  'becs_debit',
  'pad_debit',
]);

/**
 * Whether a method can be charged, be a default, and be named by subscriptions. A card whose month is over is still
 * charged, because networks replace cards without telling, unless the issuer itself said that it has expired.
 */
export function isUsable({ status, failure_code }: Pick<MethodRow, 'status' | 'failure_code'>): boolean {
  return status === 'ACTIVE' || (status === 'EXPIRED' && failure_code !== 'expired_card');
}

export function unusable({ id, status }: Pick<MethodRow, 'id' | 'status'>, field: string): Refusal {
  const broken = rule('method_unusable', { methodId: publicId('mtd', id), status });
  return new Refusal('payment_method_unusable', broken, { field });
}

/** The status of a method after a charge with it has failed; most failures leave it as it is. */
export function statusAfterFailure(status: MethodStatus, code: FailureCode): MethodStatus {
  if (status !== 'ACTIVE' && status !== 'EXPIRED') return status;
  if (code === 'expired_card') return 'EXPIRED';
  return endsMethod.has(code) ? 'REVOKED' : status;
}

/** Failures that say that the method has ended at the provider or at the bank. */
const endsMethod: ReadonlySet<string> = new Set(['mandate_revoked', 'account_closed', 'payment_method_missing']);

/** How long before the printed month ends `payment_method.expiring` is sent. */
const noticeMs = 30 * dayMs;

type Card = Pick<MethodRow, 'status' | 'expiry_month' | 'expiry_year' | 'expiring_told'>;

/** What the sweep of expiring cards does next with a method, and when. Null: nothing. */
export function nextExpiryStep(card: Card, nowMs: number): { step: 'tell' | 'expire'; atMs: number } | null {
  const { status, expiry_month, expiry_year, expiring_told } = card;
  if (status !== 'ACTIVE' || expiry_month === null || expiry_year === null) return null;
  const endMs = Date.UTC(expiry_year, expiry_month);
  // The last place where the month ends is 12 hours behind UTC.
  const overMs = endMs + dayMs / 2;
  if (expiring_told === monthOf(card) || overMs <= nowMs) return { step: 'expire', atMs: overMs };
  return { step: 'tell', atMs: endMs - noticeMs };
}

/** How often a method is read whose provider sends no events about methods. */
const readEveryMs = dayMs;

/** When a method is read next to find what has become of it at its provider. Null: the provider tells. */
export function nextReadMs({ status, provider }: Pick<MethodRow, 'status' | 'provider'>, nowMs: number): number | null {
  const isCharged = status === 'ACTIVE' || status === 'EXPIRED';
  return isCharged && providersWithoutMethodEvents.has(provider) ? nowMs + readEveryMs : null;
}

/** The printed month of a card: `2027-03`. */
export function monthOf({ expiry_month, expiry_year }: Pick<Card, 'expiry_month' | 'expiry_year'>): string {
  return `${expiry_year}-${String(expiry_month).padStart(2, '0')}`;
}
