import { deliveryIdFrom } from '@florin/server/domains/webhooks/delivery-queue/enqueue.cte.ts';
import pg from 'pg';
import type { Bench, Line } from '../../bench.ts';
import { measureCreateToPost, waitForPosts } from '../../delivery-latency.ts';
import { hasOpenDeliveries, registerEndpoint, waitUntil, writeBacklog } from '../../outbox.ts';
import { request, stopProcess } from '../../processes/children.ts';
import { loopbackAddresses, startTimedReceiver } from '../../receiver.ts';
import { milliseconds } from '../../report/format.ts';
import { createRequests } from '../../requests.ts';
import type { Cpu, Service } from '../../service.ts';
import { type StatementTimes, timesOfStatements } from '../../statement-times.ts';

const finishedDeliveries = 1_000_000;
const idleSeconds = 20;
/** Time for which PostgreSQL logs the statements of the idle service. */
const idleTimesSeconds = 3;
const senderStatements = /^deliveries\.(find_fresh|scan_endpoints|claim)/;
/** Due within a second, and sent while a transaction is open, so that vacuum cannot remove their dead versions. */
const churnedDeliveries = 25_000;
/** Slow enough that each create wakes the sender for a separate claim. */
const createsPerSecond = 40;
const seconds = 22;
/** The statements of a claim. Other statements run concurrently. */
const claimStatements = ['find_fresh', 'scan_endpoints', 'claim_deliveries'];
/** With fewer executions, the 99th percentile is the maximum. */
const minExecutionsForP99 = 100;

/**
 * Measures the time of a claim's statements in PostgreSQL, planning included, with 10⁶ finished deliveries
 * and another session's open transaction: first while 25,000 due deliveries are sent, then while single deliveries are
 * claimed while the dead versions of the first ones remain. Also measures the service's CPU time when nothing is due.
 */
export async function claim(bench: Bench): Promise<Line[]> {
  const { shop } = await bench.fullShop();
  const { service, merchant, channelId } = shop;
  const { tenantId } = merchant;
  const addresses = loopbackAddresses(10, 1);
  const receiver = await startTimedReceiver({ answering: addresses, hanging: [] });
  const endpointId = await registerEndpoint(service, merchant.key, `http://${addresses[0]}:${receiver.port}/`);
  await insertFinishedDeliveries(service, tenantId, endpointId);
  const idle = await measureIdleCpu(service);
  const idleTimes = await timesOfStatements(service, () => pause(idleTimesSeconds));
  const requests = createRequests(merchant.key, channelId);
  let deadVersions = 0;
  const times = await timesOfStatements(service, () =>
    withOpenTransaction(service, async () => {
      await request(receiver.process, { reset: true });
      const due = { events: churnedDeliveries, dueMs: Date.now(), withinMs: 1_000 };
      await writeBacklog(service, { ...due, tenantId, endpointIds: [endpointId] });
      await waitForPosts(receiver, churnedDeliveries);
      await measureCreateToPost(bench, service, receiver, { requests, createsPerSecond, seconds, endpoints: 1 });
      await waitUntil(async () => !(await hasOpenDeliveries(service)));
      deadVersions = await countDeadVersions(service);
    }),
  );
  await service.query('update webhook_endpoint set state = false');
  await service.query('truncate delivery, delivery_attempt');
  await stopProcess(receiver.process);
  if (deadVersions < churnedDeliveries)
    throw new Error(`The table has only ${deadVersions} dead versions of deliveries.`);
  return [claimLine(times, deadVersions), idleLine(idle, idleTimes)];
}

/** Inserts one finished delivery per existing event, up to `finishedDeliveries`. */
async function insertFinishedDeliveries(service: Service, tenantId: number, endpointId: number): Promise<void> {
  await service.query(
    `insert into delivery (tenant_id, id, event_id, endpoint_id, state, attempts, claims, due_at, created_at,
         finished_at)
     select tenant_id, ${deliveryIdFrom('id')}, id, $2::bigint, 'SUCCEEDED', 1, 1, created_at, created_at,
            created_at + interval '50 ms'
       from event
      where tenant_id = $1
      order by id
      limit $3`,
    [tenantId, endpointId, finishedDeliveries],
  );
  // Of all tables, since earlier measurements have filled them: autovacuum would do it while the service is idle.
  await service.query('vacuum analyze');
  await service.query('checkpoint');
}

/** CPU time of the idle service, whose workers poll for due work. */
async function measureIdleCpu(service: Service): Promise<Cpu> {
  await service.waitUntilIdle();
  const before = service.cpu();
  await pause(idleSeconds);
  const after = service.cpu();
  return { nodeUs: after.nodeUs - before.nodeUs, postgresUs: after.postgresUs - before.postgresUs };
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

/** Runs `work` while another session holds a snapshot, as a report or a dump does. */
async function withOpenTransaction(service: Service, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client(service.connection());
  // If the work fails, the service stops before this connection is closed.
  client.on('error', () => {});
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select from delivery limit 1');
  await work();
  await client.query('commit');
  await client.end();
}

async function countDeadVersions(service: Service): Promise<number> {
  const [row] = await service.query<{ dead: number }>(
    `select n_dead_tup::int as dead from pg_stat_user_tables where relname = 'delivery'`,
  );
  return row?.dead ?? 0;
}

function claimLine(times: StatementTimes, deadVersions: number): Line {
  const claims = claimStatements.map((name) => ({ name, ms: times.get(`deliveries.${name}`) ?? [] }));
  const [worst] = claims.filter(({ ms }) => ms.length >= minExecutionsForP99).toSorted((a, b) => p99(b.ms) - p99(a.ms));
  if (worst === undefined) throw new Error('PostgreSQL logged too few claims.');
  const otherStatements = ['record_results'].map((name) => ({
    name,
    ms: times.get(`deliveries.${name}`) ?? [],
  }));
  const details = [...claims, ...otherStatements].map(({ name, ms }) => {
    if (ms.length === 0) return `${name} never`;
    return `${name} ${ms.length} × ${milliseconds(p99(ms))}, at most ${milliseconds(Math.max(...ms))}`;
  });
  return {
    measurement: 'claim',
    what: `p99 of a claim's slowest statement, beside 10⁶ done and an open transaction, ms`,
    ours: milliseconds(p99(worst.ms)),
    against: `median ${milliseconds(percentile(worst.ms, 50))}`,
    figure: p99(worst.ms),
    goal: { atMost: 20 },
    comment: `${worst.name}; ${deadVersions} dead versions; ${details.join('; ')}`,
  };
}

function idleLine({ nodeUs, postgresUs }: Cpu, idleTimes: StatementTimes): Line {
  const ms = (us: number) => us / 1000 / idleSeconds;
  const senderTimes = [...idleTimes].filter(([name]) => senderStatements.test(name)).flatMap(([, times]) => times);
  const busyMs = senderTimes.reduce((sum, one) => sum + one, 0) / idleTimesSeconds;
  return {
    measurement: 'claim',
    what: 'processor time while nothing is due, ms a second',
    ours: `node ${milliseconds(ms(nodeUs))}`,
    against: `postgres ${milliseconds(ms(postgresUs))}`,
    figure: ms(nodeUs + postgresUs),
    goal: { atMost: 40 },
    comment:
      `the whole service; the sender runs ${(senderTimes.length / idleTimesSeconds).toFixed(0)} statements a ` +
      `second in ${milliseconds(busyMs)}`,
  };
}

function p99(values: readonly number[]): number {
  return percentile(values, 99);
}

function percentile(values: readonly number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] as number;
}
