import pg from 'pg';
import { deliveryIdFrom } from '../../server/src/domains/webhooks/events/append-events.cte.ts';
import type { Bench, Line } from '../bench.ts';
import { milliseconds } from '../format.ts';
import { arrivedAll, latenessOfCreates } from '../lateness.ts';
import { openDeliveries, registerEndpoint, until, writeBacklog } from '../outbox.ts';
import { ask, end } from '../processes/owned.ts';
import { loopbackAddresses, startTimedReceiver } from '../receiver.ts';
import { createRequests } from '../requests.ts';
import type { Cpu, Service } from '../service.ts';
import { type StatementTimes, timesOfStatements } from '../statement-times.ts';

const finishedDeliveries = 1_000_000;
const idleSeconds = 20;
/** Afterwards, while PostgreSQL writes down who asks it for what. */
const looksSeconds = 3;
const sender = /^deliveries\.(peek|oldest|claim)/;
/** Due at once, claimed and settled while a transaction is open, so that what is dead of them cannot be vacuumed away. */
const churnedDeliveries = 25_000;
/** Then payments come one by one: each wakes the sender for a claim of its own. Longer than all is looked through anew. */
const createsPerSecond = 40;
const seconds = 22;
/** What a claim waits for; the others run beside it. */
const claiming = ['peek_oldest_due', 'peek_newest_due', 'peek_parked', 'claim_deliveries', 'claim_of_endpoints'];
/** With fewer executions a 99th percentile is but the longest. */
const worthAPercentile = 100;

/**
 * How long the statements of a claim take PostgreSQL, planning included, where 10⁶ deliveries are done and another session
 * holds a transaction open: first while 25,000 due at once are worked off, then one by one above what is left of them.
 * And what the service takes of the processors when nothing is due.
 */
export async function claim(bench: Bench): Promise<Line[]> {
  const { shop } = await bench.fullShop();
  const { service, merchant, channelId } = shop;
  const { tenantId } = merchant;
  const addresses = loopbackAddresses(10, 1);
  const receiver = await startTimedReceiver({ answering: addresses, hanging: [] });
  const endpointId = await registerEndpoint(service, merchant.key, `http://${addresses[0]}:${receiver.port}/`);
  await fillFinished(service, tenantId, endpointId);
  const idle = await idleCpu(service);
  const looks = await timesOfStatements(service, () => pause(looksSeconds));
  const requests = createRequests(merchant.key, channelId);
  let dead = 0;
  const times = await timesOfStatements(service, () =>
    besideAnOpenTransaction(service, async () => {
      await ask(receiver.process, { reset: true });
      const due = { events: churnedDeliveries, dueMs: Date.now(), withinMs: 1_000 };
      await writeBacklog(service, { ...due, tenantId, endpointIds: [endpointId] });
      await arrivedAll(receiver, churnedDeliveries);
      await latenessOfCreates(bench, service, receiver, { requests, createsPerSecond, seconds, endpoints: 1 });
      await until(async () => (await openDeliveries(service)) === 0);
      dead = await deadVersions(service);
    }),
  );
  await service.query('update webhook_endpoint set state = false');
  await service.query('truncate delivery, delivery_attempt');
  await end(receiver.process);
  if (dead < churnedDeliveries) throw new Error(`Only ${dead} versions of deliveries are dead.`);
  return [claimLine(times, dead), idleLine(idle, looks)];
}

function claimLine(times: StatementTimes, dead: number): Line {
  const claims = claiming.map((name) => ({ name, ms: times.get(`deliveries.${name}`) ?? [] }));
  const [worst] = claims.filter(({ ms }) => ms.length >= worthAPercentile).toSorted((a, b) => p99(b.ms) - p99(a.ms));
  if (worst === undefined) throw new Error('PostgreSQL has written down no claims.');
  const beside = ['oldest_due', 'record_results'].map((name) => ({ name, ms: times.get(`deliveries.${name}`) ?? [] }));
  const each = [...claims, ...beside].map(({ name, ms }) => {
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
    remark: `${worst.name}; ${dead} dead versions; ${each.join('; ')}`,
  };
}

function idleLine({ nodeUs, postgresUs }: Cpu, looks: StatementTimes): Line {
  const ms = (us: number) => us / 1000 / idleSeconds;
  const ofSender = [...looks].filter(([name]) => sender.test(name)).flatMap(([, times]) => times);
  const took = ofSender.reduce((sum, one) => sum + one, 0) / looksSeconds;
  return {
    measurement: 'claim',
    what: 'processor time while nothing is due, ms a second',
    ours: `node ${milliseconds(ms(nodeUs))}`,
    against: `postgres ${milliseconds(ms(postgresUs))}`,
    figure: ms(nodeUs + postgresUs),
    remark: `the whole service; the sender looks by ${(ofSender.length / looksSeconds).toFixed(0)} statements a second, which take ${milliseconds(took)}`,
  };
}

/** Deliveries that are done, one for each event there is, until there are enough. */
async function fillFinished(service: Service, tenantId: number, endpointId: number): Promise<void> {
  await service.query(
    `insert into delivery (tenant_id, id, event_id, endpoint_id, state, attempts, claims, due_at, created_at, finished_at)
     select tenant_id, ${deliveryIdFrom('id')}, id, $2::bigint, 'SUCCEEDED', 1, 1, created_at, created_at,
            created_at + interval '50 ms'
       from event
      where tenant_id = $1
      order by id
      limit $3`,
    [tenantId, endpointId, finishedDeliveries],
  );
  await service.query('vacuum analyze delivery');
  await service.query('checkpoint');
}

/** Of the whole service with nothing to do, all its workers looking for something. */
async function idleCpu(service: Service): Promise<Cpu> {
  await service.settled();
  const before = service.cpu();
  await pause(idleSeconds);
  const after = service.cpu();
  return { nodeUs: after.nodeUs - before.nodeUs, postgresUs: after.postgresUs - before.postgresUs };
}

/** Works while a session that has looked once keeps what it saw, as a report or a dump does. */
async function besideAnOpenTransaction(service: Service, work: () => Promise<void>): Promise<void> {
  const client = new pg.Client(service.connection());
  // When the work fails, the service is stopped before this is.
  client.on('error', () => {});
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select from delivery limit 1');
  await work();
  await client.query('commit');
  await client.end();
}

async function deadVersions(service: Service): Promise<number> {
  const [row] = await service.query<{ dead: number }>(
    `select n_dead_tup::int as dead from pg_stat_user_tables where relname = 'delivery'`,
  );
  return row?.dead ?? 0;
}

function pause(seconds: number): Promise<void> {
  return new Promise((passed) => setTimeout(passed, seconds * 1000));
}

function p99(values: readonly number[]): number {
  return percentile(values, 99);
}

function percentile(values: readonly number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] as number;
}
