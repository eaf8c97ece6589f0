import { Refusal } from './errors.ts';
import type { Principal } from './principal.ts';
import { rule } from './refusal-rules.ts';

/**
 * Refuses (`step_up_required`) a session whose user has a second factor and has not confirmed it recently. Users
 * without a second factor pass. So do keys, because no program can enter a code; they are limited by their scopes.
 */
export function requireStepUp({ by, secondFactor }: Principal, nowMs: number, what: string): void {
  if (by === 'key' || secondFactor === undefined || secondFactor.steppedUpUntilMs > nowMs) return;
  throw new Refusal('step_up_required', rule('step_up', { what }));
}
