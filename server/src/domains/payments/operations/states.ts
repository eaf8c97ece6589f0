/** RELEASE: gives back what was not captured of an authorized charge. */
export type OperationKind = 'CHARGE' | 'REFUND' | 'CANCEL' | 'CAPTURE' | 'RELEASE';

/**
 * READY: recorded, not sent. CALLING: sent, or about to be. UNKNOWN: sent, and the outcome is not known. WAITING: in
 * progress at the provider, or waiting for the payer. The others are final; only a refund can still change from
 * SUCCEEDED to FAILED.
 */
export type OperationState = 'READY' | 'CALLING' | 'UNKNOWN' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/**
 * How the final outcome of an operation became known. `nothing`: without a call to the provider. `user`: a person has
 * looked at the provider, which could not say it any more.
 */
export type SettledBy = 'answer' | 'look_up' | 'callback' | 'nothing' | 'user';

export function isFinished(state: OperationState): boolean {
  return state === 'SUCCEEDED' || state === 'FAILED' || state === 'CANCELLED';
}
