import { Refusal } from '../../../core/errors.ts';
import type { BrokenRule } from '../../../core/refusal-rules.ts';
import type { SecondFactorRow } from './statements.ts';

/** Whether logins need a second step: the user has confirmed an authenticator app, or has a passkey. */
export function isActive(
  factor: Pick<SecondFactorRow, 'confirmed_at' | 'passkeys'> | undefined,
): factor is SecondFactorRow {
  return factor !== undefined && (factor.confirmed_at !== null || factor.passkeys > 0);
}

export function secondFactorAbsent(message: BrokenRule): Refusal {
  return new Refusal('second_factor_absent', message);
}
