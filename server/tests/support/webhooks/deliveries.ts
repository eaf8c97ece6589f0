import { minuteMs, secondMs } from '../../../src/core/clock.ts';
import type { EventType } from '../../../src/core/event-types.ts';
import { uuidGenerator } from '../../../src/core/id.ts';
import type { LeasedDelivery } from '../../../src/domains/webhooks/deliveries/queues/claimer.ts';
import { type DeliveryWorkerOptions, deliveryWorker } from '../../../src/domains/webhooks/deliveries/worker.ts';
import type { AddressGuard } from '../../../src/domains/webhooks/endpoints/address-guard.ts';
import { EndpointDirectory, endpointSecretAssociatedData } from '../../../src/domains/webhooks/endpoints/directory.ts';
import { appendEvent, eventBody } from '../../../src/domains/webhooks/events/append-events.cte.ts';
import type { Worker } from '../../../src/platform/jobs/worker.ts';
import { Caches } from '../../../src/platform/postgres/caches.ts';
import { busOn } from '../postgres/bus.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../postgres/database.ts';
import { type Answering, type Receiver, startReceiver } from './receiver.ts';
import { loopbackGuard } from './sending.ts';

export const endpointSecret = 'correct horse battery staple';

export interface DeliveryRow {
  id: string;
  endpoint_id: number;
  state: string;
  attempts: number;
  claims: number;
  lease: string | null;
  due_at: string;
}

export interface EndpointOptions {
  events?: string[];
  tenantId?: number;
  maxInFlight?: number;
  ratePerS?: number;
}

export interface AttemptRow {
  number: number;
  status: number | null;
  outcome: string;
  resent: boolean;
  address: string | null;
  response_headers: Record<string, unknown> | null;
  response_body: Buffer | null;
}

type TestWorkerOptions = Partial<DeliveryWorkerOptions> & { guard?: AddressGuard };

export type TestDeliveries = Awaited<ReturnType<typeof testDeliveries>>;

/**
 * A database of its own with delivery workers and receivers, and nothing else of the service. Call `clean` after each
 * test and `close` at the end. By default endpoints belong to tenant 0 and subscribe to every type.
 */
export async function testDeliveries() {
  const db: TestDatabase = await databaseFromTemplate();
  const bus = busOn(db);
  const caches = new Caches(bus);
  await bus.start();
  const [user] = await db.query<{ id: number }>(
    `insert into app_user (tenant_id, user_name, email, password_hash, user_type)
     values (0, 'ann', 'ann@example.com', '-', 'PLATFORM_ADMIN') returning id`,
  );
  const cleanups: (() => Promise<unknown>)[] = [];
  const receivers: Receiver[] = [];
  const generateUuid = uuidGenerator(Date.now);

  async function registerEndpoints(origin: string, count: number, options: EndpointOptions = {}): Promise<number[]> {
    const { events = ['*'], tenantId = 0, maxInFlight = null, ratePerS = null } = options;
    const ids = (
      await db.query<{ id: number }>(
        `select next_id('webhook_endpoint_id_seq') as id from generate_series(1, $1::int)`,
        [count],
      )
    ).map(({ id }) => id);
    await db.query(
      `insert into webhook_endpoint (tenant_id, user_id, events, max_in_flight, rate_per_s, id, url, secret_sealed)
       select $1, $2, $3::text[], $4, $5, id, url, secret from unnest($6::bigint[], $7::text[], $8::bytea[])
           as made (id, url, secret)`,
      [
        tenantId,
        user?.id,
        events,
        maxInFlight,
        ratePerS,
        ids,
        ids.map((id) => `${origin}/${id}`),
        ids.map((id) => sealer.seal(endpointSecret, endpointSecretAssociatedData(tenantId, id))),
      ],
    );
    return ids;
  }

  async function newReceiver(answering: Answering): Promise<Receiver> {
    const receiver = await startReceiver(answering);
    receivers.push(receiver);
    return receiver;
  }

  function newWorker({ guard = loopbackGuard, ...options }: TestWorkerOptions = {}): Worker<LeasedDelivery> {
    const guards = { everyone: guard, administrators: guard };
    const { database } = db;
    return deliveryWorker({
      database,
      transactions: database,
      generateUuid: uuidGenerator(Date.now),
      directory: new EndpointDirectory({ database, caches, open: sealer.open, isLost: sealer.isLost, guards }),
      clock: Date.now,
      timeoutMs: 10 * secondMs,
      retryIntervalsMs: [minuteMs, 5 * minuteMs, 30 * minuteMs],
      ...options,
    });
  }

  return {
    db,
    startReceiver: newReceiver,

    registerEndpoint: async (origin: string, options: EndpointOptions = {}): Promise<number> =>
      (await registerEndpoints(origin, 1, options))[0] as number,

    /** Empties the queue and starts a receiver with `endpoints` subscribed endpoints. */
    async subscribe(
      answering: Answering,
      { endpoints = 1, ...options }: EndpointOptions & { endpoints?: number } = {},
    ): Promise<{ receiver: Receiver; endpointId: number; endpointIds: number[] }> {
      await db.query('truncate delivery, delivery_attempt, event');
      const receiver = await newReceiver(answering);
      const endpointIds = await registerEndpoints(receiver.url, endpoints, options);
      return { receiver, endpointId: endpointIds[0] as number, endpointIds };
    },

    newWorker,

    /** Starts a delivery worker, which `clean` stops. */
    startWorker(options: TestWorkerOptions = {}): Worker<LeasedDelivery> {
      const worker = newWorker(options);
      worker.start();
      cleanups.push(() => worker.stop());
      return worker;
    },

    async appendEvent(
      type: EventType = 'transaction.created',
      object: Record<string, unknown> = { id: 'txn_1' },
      createdMs = Date.now(),
    ): Promise<{ eventId: string; body: string }> {
      const id = generateUuid();
      const body = eventBody({ id, type, createdMs, livemode: true }, object);
      await db.database.transaction((transaction) =>
        appendEvent(transaction, { tenantId: 0, id, livemode: true, type, objectId: 'txn_1', createdMs, body }),
      );
      return { eventId: id, body };
    },

    async appendEvents(count: number, createdMs = Date.now()): Promise<void> {
      await db.database.transaction(async (transaction) => {
        for (let i = 0; i < count; i++) {
          const id = generateUuid();
          const type = 'transaction.created';
          const body = eventBody({ id, type, createdMs, livemode: true }, { id: `txn_${i}` });
          await appendEvent(transaction, {
            tenantId: 0,
            id,
            livemode: true,
            type,
            objectId: `txn_${i}`,
            createdMs,
            body,
          });
        }
      });
    },

    /** Enqueues `count` deliveries of one event to each endpoint, all due at the same time. */
    async enqueue(endpointIds: number | number[], count: number, dueMs = Date.now()): Promise<void> {
      const id = generateUuid();
      const body = eventBody(
        { id, type: 'transaction.created', createdMs: dueMs, livemode: true },
        { id: 'txn_backlog' },
      );
      await db.query(
        `with appended as (
           insert into event (tenant_id, id, type, object_id, created_at, body)
           values (0, $1, 'transaction.created', 'txn_backlog', to_timestamp($2::float8 / 1000), $3)
           returning id, created_at
         )
         insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at)
         select 0, gen_random_uuid(), appended.id, endpoint.id, appended.created_at, appended.created_at
           from appended, unnest($4::bigint[]) as endpoint (id), generate_series(1, $5::int)`,
        [id, dueMs, body, [endpointIds].flat(), count],
      );
    },

    /** Resolves with the finished deliveries once there are `count`. */
    untilFinished(count: number, deadlineMs?: number): Promise<DeliveryRow[]> {
      const finished = async () => {
        const [row] = await db
          .query<{ done: number }>(`select count(*) as done from delivery where state <> 'OPEN'`)
          .catch(() => []);
        return (
          (row?.done ?? 0) >= count &&
          db.query<DeliveryRow>(`select * from delivery where state <> 'OPEN' order by finished_at`)
        );
      };
      return eventually(`${count} deliveries finished`, finished, deadlineMs);
    },

    /** Resolves with the open delivery once it has this many attempts. */
    untilAttempted(attempts: number): Promise<DeliveryRow> {
      return eventually(`attempt ${attempts} recorded`, async () => {
        const [row] = await db.query<DeliveryRow>(`select * from delivery where state = 'OPEN' and attempts = $1`, [
          attempts,
        ]);
        return row;
      });
    },

    attemptsOf: (deliveryId: string | undefined) =>
      db.query<AttemptRow>(
        `select number, status, outcome, resent, address, response_headers, response_body
           from delivery_attempt where delivery_id = $1 order by number`,
        [deliveryId],
      ),

    onClean: (clean: () => Promise<unknown>) => cleanups.push(clean),
    /** Runs before the worker that was started last is stopped. */
    onCleanFirst: (clean: () => Promise<unknown>) => cleanups.splice(-1, 0, clean),

    async clean(): Promise<void> {
      // Receivers first, so that no worker waits for an answer that is held back.
      for (const receiver of receivers.splice(0)) await receiver.close();
      for (const clean of cleanups.splice(0).toReversed()) await clean();
      // No delivery of one test is due in the next.
      await db.query(`update delivery set state = 'CANCELLED' where state = 'OPEN'`);
      await db.query('update webhook_endpoint set state = false');
    },

    async close(): Promise<void> {
      await bus.stop();
      await db.drop();
    },
  };
}

const sealer = {
  seal: (plain: string, where: string) => Buffer.from(`${where}|${plain}`),
  open: (sealed: Buffer, where: string) => {
    if (!sealed.toString().startsWith(`${where}|`)) throw new Error(`Sealed elsewhere than at ${where}.`);
    return sealed.toString().slice(where.length + 1);
  },
  isLost: () => false,
};

/** A clock that stands still until `moveBy`. */
export function movableClock(): { clock: () => number; moveBy: (ms: number) => void } {
  let nowMs = Date.now() + secondMs;
  return {
    clock: () => nowMs,
    moveBy: (ms) => {
      nowMs += ms;
    },
  };
}

/** A receiver that holds its answers until `answer` or `answerAll`. */
export function heldAnswers() {
  let held: ((status: number) => void)[] = [];
  let statusOfAll: number | undefined;
  const give = (status: number) => {
    const waiting = held;
    held = [];
    for (const respond of waiting) respond(status);
  };
  const answering: Answering = (_received, _request, response) => {
    held.push((status) => response.writeHead(status).end());
    if (statusOfAll !== undefined) give(statusOfAll);
  };
  return {
    answering,
    get waiting() {
      return held.length;
    },
    answer: give,
    /** Answers the held requests and all later ones. */
    answerAll: (status: number) => {
      statusOfAll = status;
      give(status);
    },
    /** Holds later answers again. */
    hold: () => {
      statusOfAll = undefined;
    },
  };
}
