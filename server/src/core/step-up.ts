import { Refusal } from './errors.ts';
import type { Principal } from './principal.ts';

/**
 * Refuses with `step_up_required` a session whose user has a second factor and has not given a code lately. Sessions of users
 * without a second factor pass, and keys, which are limited by their scope: no program can give a code.
 */
export function requireStepUp({ by, secondFactor }: Principal, nowMs: number, what: string): void {
  if (by === 'key' || secondFactor === undefined || secondFactor.steppedUpUntilMs > nowMs) return;
  throw new Refusal(
    'step_up_required',
    `${what} needs a fresh code or passkey: send one to /api/user/step-up or /api/user/step-up/passkey and try again.`,
  );
}
