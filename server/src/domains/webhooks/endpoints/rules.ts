import { dayMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { scopeOfEventType, typesMatching } from '../../../core/event-types.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';

/** Why the sender disabled an endpoint. `gone`: it answered 410. `failing`: no success for `disabledAfterMs`. */
export type DisabledReason = 'gone' | 'failing';

/** A delivery that uses up its attempts disables its endpoint if there has been no success for this long. */
export const disabledAfterMs = 5 * dayMs;

/** Whether URLs set by this caller may lead to private addresses where the deployment allows them (`addressGuards`). */
export function reachesPrivate({ by, userType }: Principal): boolean {
  return by === 'session' && userType !== 'MERCHANT_USER';
}

/** Requires the read scope of every event type that matches a pattern (docs/decisions/authority.md). */
export function requireReadScopes(patterns: readonly string[], { scopes }: Principal): void {
  for (const type of new Set(patterns.flatMap(typesMatching))) {
    const scope = scopeOfEventType[type];
    if (!scopes.has(scope)) {
      throw new Refusal('scope_missing', rule('scope_to_receive', { eventType: type, scope }));
    }
  }
}
