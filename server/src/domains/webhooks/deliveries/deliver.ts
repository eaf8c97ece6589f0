import { type Clock, secondMs } from '../../../core/clock.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { releaseDelivery } from '../delivery-queue/lease-statements.ts';
import type { EndpointDirectory } from '../endpoints/directory.ts';
import { type Answer, noAnswer } from './connections/answer.ts';
import type { Connections } from './connections/connections.ts';
import { signedRequest } from './connections/request.ts';
import type { LeasedDelivery } from './queues/claimer.ts';
import type { EndpointQueue } from './queues/endpoint-queue.ts';
import type { EndpointHealth } from './results/endpoint-health.ts';
import { attemptResult, cancelledResult } from './results/result.ts';
import type { ResultWriter } from './results/result-writer.ts';
import type { AttemptOutcome } from './rules.ts';

export interface EndedAttempt {
  delivery: LeasedDelivery;
  outcome: AttemptOutcome;
  durationMs: number;
  /** From its due time until it was sent. */
  lagMs: number;
}

export interface DeliveryServices {
  database: Queryable;
  clock: Clock;
  endpoints: EndpointDirectory;
  connections: Connections;
  health: EndpointHealth;
  results: ResultWriter;
  /** Deadline of an attempt. */
  timeoutMs: number;
  retryIntervalsMs: readonly number[];
  onAttempt?: ((attempt: EndedAttempt) => void) | undefined;
}

/** A delivery is sent only if the attempt's deadline and this much time to record it fit into the rest of its lease. */
export const recordingBudgetMs = 2 * secondMs;

/**
 * Makes one attempt of a claimed delivery, from its row to its recorded result. Returns the answer if it tells
 * something about the endpoint; undefined: nothing was sent, or too late to count. Rejects only for a defect or an
 * unavailable database.
 */
export async function deliver(
  delivery: LeasedDelivery,
  { queue, isTrial }: { queue: EndpointQueue; isTrial: boolean },
  { database, clock, endpoints, connections, health, results, ...options }: DeliveryServices,
): Promise<Answer | undefined> {
  const { timeoutMs, retryIntervalsMs, onAttempt } = options;

  // 1. Where to? Deliveries to an endpoint that is switched off or removed are cancelled, and can be replayed.
  const target = endpoints.cached(delivery.endpoint_id) ?? (await endpoints.find(delivery.endpoint_id));
  if (target?.state !== true) {
    results.add(cancelledResult(delivery, clock()));
    return undefined;
  }
  const { origin, guard, path, keys } = target;
  if (keys === undefined) {
    // The secret is lost, and deliveries wait until it is rotated. The pause keeps them from being claimed over and
    // over.
    if (isTrial || !queue.isPaused(clock())) await health.pause(queue, { outcome: 'secret_lost', status: undefined });
    await releaseUnsent(delivery, database);
    return undefined;
  }

  // 2. A connection. Hundreds of deliveries may wait for one, so that none is signed yet.
  const connection = target.forbidden ? undefined : await connections.take(origin, guard);

  // 3. Still ours, and still wanted? The process may have been frozen, or the endpoint paused, since the claim.
  const sentMs = clock();
  const isTooLate = delivery.leasedUntilMs - sentMs < timeoutMs + recordingBudgetMs;
  if (isTooLate || (queue.isPaused(sentMs) && !isTrial)) {
    if (connection !== undefined) connections.release(connection, connection.served > 0);
    await releaseUnsent(delivery, database);
    return undefined;
  }

  // 4. Sign and post. Every failure is an answer, too.
  const sign = () => signedRequest(delivery, { path, keys }, sentMs);
  const answer = connection === undefined ? forbiddenAddress : await connections.post(connection, sign, timeoutMs);

  // 5. What does it mean? After the lease has expired, another node may have sent it: then it says nothing about the
  //    endpoint.
  const endedMs = clock();
  const isOurs = endedMs < delivery.leasedUntilMs;
  const { outcome, durationMs } = answer;
  onAttempt?.({ delivery, outcome, durationMs, lagMs: Math.max(0, sentMs - delivery.due_ms) });

  // 6. The endpoint's health first: if this process dies in between, the delivery is repeated, and the change is known.
  if (isOurs) await health.record(queue, answer, { isLastAttempt: delivery.attempts >= retryIntervalsMs.length });
  results.add(attemptResult(delivery, answer, endedMs, retryIntervalsMs));
  return isOurs ? answer : undefined;
}

/**
 * The scan finds it again. If it is claimed again meanwhile, the worker renews its lease in place: that one is
 * released, too.
 */
async function releaseUnsent(delivery: LeasedDelivery, database: Queryable): Promise<void> {
  for (let lease: string | undefined; lease !== delivery.lease; ) {
    lease = delivery.lease;
    await database.run(releaseDelivery, [delivery.tenant_id, delivery.id, lease]);
  }
}

const forbiddenAddress: Answer = { ...noAnswer, outcome: 'forbidden_address' };
