import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Database } from '../../platform/postgres/database.ts';
import { eventually, type TestDatabase } from '../../testing/database.ts';
import { holdingAnswers, movableClock, type TestDeliveries, testDeliveries } from '../../testing/deliveries.ts';
import type { Answering } from '../../testing/receiver.ts';
import { dayMs, minuteMs, secondMs } from '../../vocabulary/clock.ts';

let deliveries: TestDeliveries;
let db: TestDatabase;

beforeAll(async () => {
  deliveries = await testDeliveries();
  db = deliveries.db;
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

/** Long enough that what hangs goes on hanging to the end of its test. */
const timeoutMs = minuteMs;

test.each(Array.from({length:40},(_, i)=>i))('a pause holds %i', async () => { let other: any; const time = movableClock(); try {
  const held = holdingAnswers();
  const { endpointId, receiver } = await deliveries.subscribed(503, { maxInFlight: 1 });
  await deliveries.backlog(endpointId, 20);
  let paused = 0;
  deliveries.working({ clock: time.clock, observer: { onPaused: () => paused++ }, onTrouble: (e) => console.log('TROUBLE A', e) });
  await eventually('the pause', () => paused === 1);
  const second = new Database({ connection: db.connection, connections: 3, name: 'second', plans: 'indexed' });
  deliveries.onClean(() => second.close());
  deliveries.working({ clock: time.clock, database: second, onTrouble: (e) => console.log('TROUBLE B', e) });
  receiver.answering = held.answering;
  other = await well();
  await deliveries.backlog(other.endpointId, 50, time.clock());
  await eventually('both have looked', () => other.receiver.received.length === 50);
  expect(receiver.received).toHaveLength(5);
  time.moveBy(31 * secondMs);
  await eventually('the trial', () => held.waiting === 1);
  await deliveries.backlog(other.endpointId, 50, time.clock());
  await eventually('both have looked', () => other.receiver.received.length === 100);
  expect(held.waiting).toBe(1);
  held.answerAll(200);
  time.moveBy(2 * minuteMs);
  await deliveries.finished(120);
  } catch (e) { console.log('STATE', String(e), other?.endpointId, other?.receiver.received.length, time.clock(), JSON.stringify(await db.query('select endpoint_id, state, aside, lease is not null as leased, leased_until, due_at, attempts, claims, count(*) from delivery group by 1,2,3,4,5,6,7,8')), JSON.stringify(await db.query('select id, open_until, first_failure_at, state from webhook_endpoint where state')), JSON.stringify(await db.query("select outcome, status, count(*), max(duration_ms) from delivery_attempt group by 1,2"))); throw e; }
});

/** An endpoint on a receiver of its own that answers at once. */
async function well() {
  const receiver = await deliveries.receiving(200);
  return { receiver, endpointId: await deliveries.registered(receiver.url) };
}

async function claimsOf(endpointId: number): Promise<number> {
  const [row] = await db.query<{ claims: number }>(
    'select sum(claims)::int as claims from delivery where endpoint_id = $1',
    [endpointId],
  );
  return row?.claims ?? 0;
}

async function asideOf(endpointId: number): Promise<number> {
  const [row] = await db.query<{ aside: number }>(
    'select count(*)::int as aside from delivery where endpoint_id = $1 and aside',
    [endpointId],
  );
  return row?.aside ?? 0;
}

async function attempts(endpointId: number): Promise<number[]> {
  const rows = await db.query<{ attempts: number }>(
    'select attempts from delivery where endpoint_id = $1 order by attempts',
    [endpointId],
  );
  return rows.map((row) => row.attempts);
}

async function endpoint(endpointId: number) {
  const [row] = await db.query(
    'select state, disabled_reason, open_until, first_failure_at from webhook_endpoint where id = $1',
    [endpointId],
  );
  return row;
}
