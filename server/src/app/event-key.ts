import { currentEventKey } from '../domains/webhooks/events/digests.ts';
import type { Context } from './assemble.ts';

/**
 * Lets this process authenticate the events that it writes. The database must be open, and the encryption keys checked.
 */
export async function loadEventKey({ database, seal, open, clock, useEventKey }: Context): Promise<void> {
  useEventKey(await currentEventKey(database, { seal, open, nowMs: clock() }));
}
