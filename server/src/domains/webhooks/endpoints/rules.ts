import { dayMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { scopeOfEventType, typesMatching } from '../../../core/event-types.ts';
import type { Principal } from '../../../core/principal.ts';

/** Why an endpoint was switched off by the sender: it said so itself, or nothing but failures came from it for days. */
export type DisabledReason = 'gone' | 'failing';

/** A delivery that uses up its tries switches its endpoint off when there has been no success for this long. */
export const disabledAfterMs = 5 * dayMs;

/** A caller can have pushed to it only what it may read (decisions, Who may do what). */
export function demandReading(patterns: readonly string[], { scopes }: Principal): void {
  for (const type of new Set(patterns.flatMap(typesMatching))) {
    const scope = scopeOfEventType[type];
    if (!scopes.has(scope)) {
      throw new Refusal('scope_missing', `To be sent ${type} this needs the scope ${scope}.`, { details: { scope } });
    }
  }
}
