import { publicId, uuidOfPublicId } from '../../../core/id.ts';
import { failure } from '../providers/failures.ts';
import { isFinal } from '../transactions/states.ts';
import type { FinalOutcome } from './settlement.ts';
import type { OperationRow } from './statements.ts';

/** What to do with a claimed operation: call its provider, postpone it, or settle it with this outcome without a call. */
export type Decision = 'call_provider' | 'postpone' | FinalOutcome;

/**
 * | Operation                                  | Decision                             |
 * | ------------------------------------------ | ------------------------------------ |
 * | any, of a disabled provider                | failed: `sandbox_disabled`           |
 * | charge or cancel not sent, payment ended   | cancelled: nothing is left to do     |
 * | cancel, no charge is active                | failed: nothing to cancel            |
 * | cancel, the charge is being sent           | postpone                             |
 * | any other                                  | call the provider                    |
 */
export function decide(operation: OperationRow, isProviderDisabled: boolean): Decision {
  const { kind, state, status, charge_number, charge_state } = operation;
  if (isProviderDisabled) return providerDisabled;
  if (kind !== 'REFUND' && state === 'READY' && isFinal(status)) return { kind: 'cancelled' };
  if (kind !== 'CANCEL') return 'call_provider';
  if (charge_number === null) return nothingToCancel;
  // If the provider got the cancellation first, it would find nothing to cancel, and then take the money.
  if (charge_state === 'READY' || charge_state === 'CALLING') return 'postpone';
  return 'call_provider';
}

const providerDisabled: FinalOutcome = {
  kind: 'failed',
  failure: failure('invalid_operation', 'sandbox_disabled', 'The sandbox is disabled here.'),
};
const nothingToCancel: FinalOutcome = {
  kind: 'failed',
  failure: failure('invalid_operation', null, 'There is no charge in progress that could be cancelled.'),
};

/** The idempotency key under which a provider knows an operation: `txn_…-1`. */
export function operationKey(transactionId: string, number: number): string {
  return `${publicId('txn', transactionId)}-${number}`;
}

/** The payment and the number of the operation in an idempotency key; undefined for a key that is not Florin's. */
export function parseOperationKey(key: string): { transactionId: string; number: number } | undefined {
  const parts = /^(txn_[0-9a-f]{32})-(\d{1,4})$/.exec(key);
  const transactionId = parts?.[1] && uuidOfPublicId('txn', parts[1]);
  return transactionId ? { transactionId, number: Number(parts?.[2]) } : undefined;
}
