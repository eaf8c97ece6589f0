import { plainArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import type { EndpointQueue } from './endpoint-queue.ts';
import { takeRateAllowance } from './rate-statements.ts';

/**
 * Takes the granted deliveries from the rates of their endpoints, which all nodes share, and reduces `granted` to what
 * the rates allow.
 */
export async function takeRates(database: Queryable, granted: Map<EndpointQueue, number>, nowMs: number) {
  const rated = [...granted].filter(([{ endpoint }]) => endpoint.isActive && endpoint.ratePerS !== null);
  if (rated.length === 0) return;
  // In the order of their ids, in which every node locks the rows.
  rated.sort(([a], [b]) => a.id - b.id);
  const rows = await database.run(takeRateAllowance, [
    nowMs,
    plainArray(rated.map(([{ id }]) => id)),
    plainArray(rated.map(([, count]) => count)),
    plainArray(rated.map(([{ endpoint }]) => endpoint.ratePerS)),
  ]);
  const allowances = new Map(rows.map((row) => [row.endpoint_id, row]));
  for (const [queue] of rated) {
    const allowance = allowances.get(queue.id);
    if (allowance === undefined) continue;
    queue.rateUsedUntilMs = allowance.next_ms;
    if (allowance.granted > 0) granted.set(queue, allowance.granted);
    else granted.delete(queue);
  }
}
