import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transactionPooler } from '../../../tests/support/postgres/transaction-pooler.ts';
import { urlOf } from '../../../tests/support/service/florin.ts';
import { primary, version } from './checks/server.ts';
import { type Defect, type ExaminedNode, openExaminedNode } from './fixture/examined-node.ts';
import type { ServerFacts } from './statements.ts';

/** What the doctor says of the server of the database. */
let node: ExaminedNode;
let pooler: Awaited<ReturnType<typeof transactionPooler>>;

beforeAll(async () => {
  node = await openExaminedNode();
});

afterAll(() => node.close());

const ofDatabase = (setting: string) => `alter database florin ${setting}`;

const defects: Record<string, Defect> = {
  'a clock that is ahead': {
    check: "this machine's clock agrees with the database's",
    what: /ahead of the database's/,
    cure: /NTP/,
    machine: { now: () => Date.now() + 30_000 },
  },
  'an unavailable database': {
    check: 'the database can be reached',
    what: /127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/,
    cure: /start it/,
    settings: () => node.clusterNode({ APP_DATABASE_URL: 'postgres://florin:secret@127.0.0.1:1/florin' }),
  },
  'a database that takes no writes': {
    check: 'the database accepts writes',
    what: /read-only/,
    cure: /default_transaction_read_only/,
    sql: [
      ofDatabase('set default_transaction_read_only = on'),
      `set transaction_read_only = off; ${ofDatabase('reset default_transaction_read_only')}`,
    ],
  },
  'commits that do not wait for the disk': {
    check: 'what is acknowledged survives a power failure',
    what: /synchronous_commit is off/,
    cure: /turn it on/,
    sql: [ofDatabase('set synchronous_commit = off'), ofDatabase('reset synchronous_commit')],
  },
  'too few connections': {
    check: 'the database has enough connections',
    what: /limit of the database is 10, and a node needs 26/,
    cure: /app\.database\.connections/,
    sql: [ofDatabase('connection limit 10'), ofDatabase('connection limit -1')],
  },
  'a pooler that drops notifications': {
    check: 'notifications between nodes arrive',
    what: /did not arrive/,
    cure: /app\.database\.direct-url/,
    settings: () => node.clusterNode({ APP_DATABASE_URL: urlOf(pooler.connection) }),
    plant: async () => {
      pooler = await transactionPooler({ ...node.postgres.connection, ssl: false });
      return () => pooler.close();
    },
  },
  'a replication slot without a reader': {
    check: 'no replication slot without a reader keeps write-ahead log',
    what: /slot gone.*MB so far/,
    cure: /pg_drop_replication_slot\('gone'\)/,
    sql: [`select pg_create_physical_replication_slot('gone', true)`, `select pg_drop_replication_slot('gone')`],
  },
};

test.each(Object.entries(defects))('%s is named with its cure, and nothing else', (_name, defect) =>
  node.expectOnly(defect),
);

describe('findings that need another server', () => {
  const server = (facts: Partial<ServerFacts>) => ({ server: facts }) as never;

  test('an old version', async () => {
    expect(await version.checkDatabase(server({ version: 140_011 }))).toMatchObject({ what: /14$/ });
  });

  test('a standby', async () => {
    expect(await primary.checkDatabase(server({ in_recovery: true }))).toMatchObject({ what: /standby/ });
  });
});
