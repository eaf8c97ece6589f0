import { chmod, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { administratorOf, makeChannel, makePayment } from '../../../tests/support/factories.ts';
import { databaseAt, eventually, type TestDatabase } from '../../../tests/support/postgres/database.ts';
import { transactionPooler } from '../../../tests/support/postgres/transaction-pooler.ts';
import { florinOn, urlOf } from '../../../tests/support/service/florin.ts';
import {
  type StripeSimulator,
  simulatedApiKey,
  startStripeSimulator,
} from '../../../tests/support/simulators/stripe.ts';
import { newEndpoint } from '../../../tests/support/simulators/stripe-endpoints.ts';
import { secretAssociatedData as channelSecretAssociatedData } from '../../domains/payments/channels/secrets.ts';
import { neededEvents } from '../../domains/payments/providers/stripe/webhook-endpoints.ts';
import { endpointSecretAssociatedData } from '../../domains/webhooks/endpoints/directory.ts';
import { freshKeyring, parseKeyring } from '../../platform/crypto/keyring.ts';
import { Sealer } from '../../platform/crypto/seal.ts';
import { type FlorinPostgres, startFlorinPostgres } from '../../platform/postgres/embedded/florin-postgres.ts';
import { openLog } from '../../platform/process/log.ts';
import { ArchiveFolder } from '../backup/archive/archive-folder.ts';
import { readSettings } from '../config/settings.ts';
import { primary, version } from './checks/server.ts';
import { examine, type Outcome, run } from './doctor.ts';
import type { Machine } from './machine.ts';
import type { ServerFacts } from './statements.ts';

const keys = freshKeyring();
/** Its disk and its limits are not those of the machine that runs the test. */
const healthyMachine: Machine = {
  now: Date.now,
  freeSpace: async () => ({ free: 50e9, total: 100e9 }),
  openFileLimit: async () => 65_536,
};

let folder: string;
let dataDir: string;
let postgres: FlorinPostgres;
let db: TestDatabase;
let mailServer: SMTPServer;
let mailPort: number;
let stripe: StripeSimulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-doctor-'));
  dataDir = join(folder, 'data');
  postgres = await startFlorinPostgres({ dataDir, log: openLog('silent') });
  db = databaseAt({ ...postgres.connection, ssl: false });
  await writeFile(keyFile(), keys, { mode: 0o600 });
  await writeFile(join(dataDir, 'jwt-keys'), keys, { mode: 0o600 });
  const florin = await florinOn(db, { APP_ENCRYPTION_KEYS: keys });
  const admin = await administratorOf(florin);
  const channelId = await makeChannel(florin, admin, { provider: 'sandbox', apiSecret: 'a secret of a provider' });
  await makePayment(florin, admin, channelId, { metadata: { sandbox: 'pending' } });
  await eventually('the charge is looked up again later', async () => {
    const rows = await db.query(
      `select 1 from provider_operation where calls = 1 and lease is null and due_at > now()`,
    );
    return rows.length > 0;
  });
  await florin.stop();
  await db.query('update app_user set has_second_factor = true');
  stripe = await startStripeSimulator();
  mailServer = new SMTPServer({ authOptional: true, disabledCommands: ['STARTTLS'], logger: false });
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
  mailPort = (mailServer.server.address() as { port: number }).port;
});

afterAll(async () => {
  await stripe.close();
  await new Promise<void>((resolve) => mailServer.close(() => resolve()));
  await db.drop();
  await postgres.stop();
  await rm(folder, { recursive: true });
});

const keyFile = () => join(dataDir, 'encryption-keys');
const settingsOf = (environment: Record<string, string> = {}) =>
  readSettings({ PORT: '0', APP_DATA_DIR: dataDir, ...environment }, undefined);

/** A node of a cluster, on the same database. */
const clusterNode = (environment: Record<string, string> = {}) =>
  settingsOf({
    APP_DATABASE_URL: urlOf(postgres.connection),
    APP_ENCRYPTION_KEYS: keys,
    APP_JWT_KEYS: keys,
    APP_PUBLIC_URL: 'https://pay.example.com',
    APP_MAIL_URL: `smtp://127.0.0.1:${mailPort}`,
    ...environment,
  });

/** The settings that the production guide recommends for one machine. */
const production = () =>
  settingsOf({
    APP_PUBLIC_URL: 'https://pay.example.com',
    APP_MAIL_URL: `smtp://127.0.0.1:${mailPort}`,
    APP_SANDBOX_ENABLED: 'false',
  });

const findingsOf = (outcomes: readonly Outcome[]) =>
  outcomes.flatMap(({ check, finding }) => (finding === undefined ? [] : [{ check, ...finding }]));

const skippedOf = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ skipped }) => skipped !== undefined).map(({ check }) => check);

test('what is not checked is never called fine', async () => {
  const ofArchive = 'the embedded PostgreSQL can be restored to any second';
  const ofProfile = 'no account has a usual name in the strict profile';
  expect(skippedOf(await examine(clusterNode(), healthyMachine))).toEqual([ofArchive, ofProfile]);
  expect(skippedOf(await examine(production(), healthyMachine))).toEqual([ofArchive, ofProfile]);
  const here = await examine(settingsOf(), { ...healthyMachine, openFileLimit: async () => undefined });
  expect(skippedOf(here)).toEqual([
    'a process may open enough files',
    'the public address is an https address',
    'no payment can be made with the sandbox in production',
    'mail can be sent',
    ofArchive,
    'platform administrators have a second factor in production',
    ofProfile,
  ]);
  const empty = await examine(settingsOf({ APP_DATA_DIR: join(folder, 'none') }), healthyMachine);
  expect(skippedOf(empty)).toEqual(
    expect.arrayContaining(['this account alone can use the data folder', 'the disk of the data folder has room']),
  );
  const lines: string[] = [];
  await run([], { settings: settingsOf(), print: (line) => lines.push(line) });
  expect(lines).toContainEqual(expect.stringMatching(/^skipped {2}mail can be sent: not checked, because only this/));
});

test('a single machine that others reach is in production too', async () => {
  await db.query('update app_user set has_second_factor = false');
  try {
    const settings = settingsOf({ APP_PUBLIC_URL: 'http://pay.example.com' });
    expect(findingsOf(await examine(settings, healthyMachine)).map(({ check }) => check)).toEqual([
      'the public address is an https address',
      'no payment can be made with the sandbox in production',
      'mail can be sent',
      'platform administrators have a second factor in production',
    ]);
  } finally {
    await db.query('update app_user set has_second_factor = true');
  }
});

test.each(['http://localhost:8080', 'http://pay.localhost', 'http://127.0.0.2/florin', 'http://[::1]:8080'])(
  '%s is an address of this machine alone',
  async (url) => {
    const outcomes = await examine(settingsOf({ APP_PUBLIC_URL: url }), healthyMachine);
    expect(skippedOf(outcomes)).toContain('the public address is an https address');
  },
);

test('on a healthy node nothing is found', async () => {
  for (const settings of [settingsOf(), production(), clusterNode()]) {
    const outcomes = await examine(settings, healthyMachine);
    expect(findingsOf(outcomes)).toEqual([]);
    expect(new Set(outcomes.map(({ check }) => check)).size).toBe(outcomes.length);
  }
});

interface Defect {
  /** What the one finding is about, and how it is cured. */
  check: string;
  what: RegExp;
  cure: RegExp;
  settings?: () => ReturnType<typeof settingsOf>;
  machine?: Partial<Machine>;
  /** SQL that plants it, and SQL that cures it. */
  sql?: [plant: string, cure: string];
  plant?: () => Promise<() => Promise<unknown>>;
}

const ofDatabase = (setting: string) => `alter database florin ${setting}`;

const defects: Record<string, Defect> = {
  'a data folder that others may write into': {
    check: 'this account alone can use the data folder',
    what: /other accounts may write into .* \(mode 777\)/,
    cure: /chmod 700/,
    plant: async () => {
      const { mode } = await stat(dataDir);
      await chmod(dataDir, 0o777);
      return () => chmod(dataDir, mode);
    },
  },
  'a database that others may enter': {
    check: 'this account alone can use the data folder',
    what: /mode 777.*refuses to start/,
    cure: /chmod 700/,
    plant: async () => {
      const cluster = join(dataDir, 'postgres', 'cluster');
      await chmod(cluster, 0o777);
      return () => chmod(cluster, 0o700);
    },
  },
  'keys that others may read': {
    check: 'only their owner can read the keys and the first password',
    what: /encryption-keys can be read by other accounts \(mode 644\)/,
    cure: /chmod 600/,
    plant: async () => {
      await chmod(keyFile(), 0o644);
      return () => chmod(keyFile(), 0o600);
    },
  },
  'a disk that is nearly full': {
    check: 'the disk of the data folder has room',
    what: /has 953 MB left of 95367 MB/,
    cure: /make room/,
    machine: { freeSpace: async () => ({ free: 1e9, total: 100e9 }) },
  },
  'a low limit of open files': {
    check: 'a process may open enough files',
    what: /may open 1024 files/,
    cure: /LimitNOFILE/,
    machine: { openFileLimit: async () => 1_024 },
  },
  'a clock that is ahead': {
    check: "this machine's clock agrees with the database's",
    what: /ahead of the database's/,
    cure: /NTP/,
    machine: { now: () => Date.now() + 30_000 },
  },
  'an address without TLS in a cluster': {
    check: 'the public address is an https address',
    what: /http:\/\/pay.example.com/,
    cure: /APP_PUBLIC_URL/,
    settings: () => clusterNode({ APP_PUBLIC_URL: 'http://pay.example.com' }),
  },
  'the sandbox in a cluster': {
    check: 'no payment can be made with the sandbox in production',
    what: /moves no money/,
    cure: /APP_SANDBOX_ENABLED/,
    settings: () => clusterNode({ APP_SANDBOX_ENABLED: 'true' }),
  },
  'a mail server that is away': {
    check: 'mail can be sent',
    what: /127\.0\.0\.1:1 does not accept.*ECONNREFUSED/,
    cure: /app\.mail\.url/,
    settings: () => clusterNode({ APP_MAIL_URL: 'smtp://user:secret@127.0.0.1:1' }),
  },
  'a cluster that sends no mail': {
    check: 'mail can be sent',
    what: /is not set/,
    cure: /APP_MAIL_URL/,
    settings: () => clusterNode({ APP_MAIL_URL: '' }),
  },
  'an administrator with a password alone': {
    check: 'platform administrators have a second factor in production',
    what: /^admin can log in with a password alone/,
    cure: /APP_SECURITY_PLATFORM_SECOND_FACTOR=required.*APP_SECURITY_PROFILE=strict/,
    settings: () => clusterNode(),
    sql: ['update app_user set has_second_factor = false', 'update app_user set has_second_factor = true'],
  },
  'a usual name in the strict profile': {
    check: 'no account has a usual name in the strict profile',
    what: /attackers try admin first/,
    cure: /rename or disable/,
    settings: () => clusterNode({ APP_SECURITY_PROFILE: 'strict', APP_ADMIN_ACCOUNT: 'chief' }),
  },
  'an unavailable database': {
    check: 'the database can be reached',
    what: /127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/,
    cure: /start it/,
    settings: () => clusterNode({ APP_DATABASE_URL: 'postgres://florin:secret@127.0.0.1:1/florin' }),
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
    settings: () => clusterNode({ APP_DATABASE_URL: urlOf(pooler.connection) }),
    plant: async () => {
      pooler = await transactionPooler({ ...postgres.connection, ssl: false });
      return () => pooler.close();
    },
  },
  'a migration that is missing': {
    check: 'the schema is that of this version',
    what: /migrations are missing: 0001_baseline/,
    cure: /start a node/,
    sql: [
      'create table hidden as select * from schema_migration; delete from schema_migration',
      'insert into schema_migration select * from hidden; drop table hidden',
    ],
  },
  'a schema of a newer version': {
    check: 'the schema is that of this version',
    what: /newer Florin .*9999_newer/,
    cure: /update this node/,
    sql: [
      `insert into schema_migration (name, run_on) values ('9999_newer', now())`,
      `delete from schema_migration where name = '9999_newer'`,
    ],
  },
  'a replication slot without a reader': {
    check: 'no replication slot without a reader keeps write-ahead log',
    what: /slot gone.*MB so far/,
    cure: /pg_drop_replication_slot\('gone'\)/,
    sql: [`select pg_create_physical_replication_slot('gone', true)`, `select pg_drop_replication_slot('gone')`],
  },
  'an encryption key of another installation': {
    check: 'the encryption keys open what is stored',
    what: /encryption-keys lacks key .* \(channels: 1\)/,
    cure: /put it back into the list/,
    plant: async () => {
      await writeFile(keyFile(), freshKeyring());
      return () => writeFile(keyFile(), keys);
    },
  },
  'endpoints whose signatures no library verifies': {
    check: 'every library of Standard Webhooks verifies what endpoints are sent',
    what: /webhook endpoints 901, 903 begin with whsec_/,
    cure: /webhook\/rotate/,
    plant: async () => {
      const secrets = ['whsec_not_base64_at_all', 'whsec_QuickstartSecret', 'whsec_unpaddedSecret', 'no prefix at all'];
      const sealer = new Sealer(parseKeyring(keys));
      for (const [at, secret] of secrets.entries()) {
        const id = 901 + at;
        await db.query(
          `insert into webhook_endpoint (tenant_id, id, user_id, url, events, secret_sealed, created_at, livemode,
               secret_is_legacy)
           select 0, $1, id, 'https://shop.example', '{*}', $2, now(), true, true from app_user limit 1`,
          [id, sealer.seal(secret, endpointSecretAssociatedData(0, id))],
        );
      }
      return () => db.query('delete from webhook_endpoint where id > 900');
    },
  },
  'an endpoint at Stripe that does not send everything': {
    check: 'providers send the events that channels read',
    what: /^channel 911 \(shop-911\): the provider does not send payment_intent\.succeeded, payment_intent\.proc/,
    cure: /callbackUrl/,
    settings: () => clusterNode({ APP_PROVIDER_STRIPE_URL: stripe.url }),
    plant: async () => {
      const sealer = new Sealer(parseKeyring(keys));
      const secrets = { apiKey: simulatedApiKey, webhookSecret: 'whsec_simulated' };
      const [apiKey, webhookSecret] = (['apiKey', 'webhookSecret'] as const).map((name) =>
        sealer.seal(secrets[name], channelSecretAssociatedData(0, 911, name)),
      );
      await db.query(
        `insert into channel (tenant_id, id, name, code, type, currencies, country, state, provider, livemode,
             api_key_sealed, webhook_secret_sealed, callback_token, created_at)
         values (0, 911, 'Shop', 'shop-911', 'ONLINE', '{USD}', 'US', true, 'stripe', false, $1, $2, 'token', now())`,
        [apiKey, webhookSecret],
      );
      const url = 'https://pay.example.com/api/callback/911/token';
      stripe.account.endpoints.push(newEndpoint({ url, enabled_events: neededEvents.slice(2) }));
      return () => db.query('delete from channel where id = 911');
    },
  },
  'a live channel with a test key': {
    check: 'channels hold API keys of their own mode',
    what: /^channel 901 \(shop-901, live\), 902 \(shop-902, test\) takes no new payments/,
    cure: /a key of its mode/,
    plant: async () => {
      const sealer = new Sealer(parseKeyring(keys));
      for (const [id, livemode, apiKey] of [
        [901, true, 'sk_test_1'],
        [902, false, 'rk_live_1'],
        [903, true, 'sk_live_1'],
      ] as const) {
        await db.query(
          `insert into channel (tenant_id, id, name, code, type, currencies, country, state, provider, livemode,
               api_key_sealed,
                                created_at)
           values (0, $1, 'Shop', $2, 'ONLINE', '{USD}', 'US', true, 'stripe', $3, $4, now())`,
          [id, `shop-${id}`, livemode, sealer.seal(apiKey, channelSecretAssociatedData(0, id, 'apiKey'))],
        );
      }
      return () => db.query('delete from channel where id > 900');
    },
  },
  'an invalid index': {
    check: 'every index is valid',
    what: /event_by_object/,
    cure: /reindex index concurrently event_by_object/,
    sql: [
      `update pg_index set indisvalid = false where indexrelid = 'event_by_object'::regclass`,
      `update pg_index set indisvalid = true where indexrelid = 'event_by_object'::regclass`,
    ],
  },
  'a table without autovacuum': {
    check: 'autovacuum keeps up',
    what: /off for table event/,
    cure: /reset \(autovacuum_enabled\)/,
    sql: ['alter table event set (autovacuum_enabled = false)', 'alter table event reset (autovacuum_enabled)'],
  },
  'work that nobody does': {
    check: 'no work is overdue',
    what: /charges, refunds or cancellations are due for more than 10 minutes/,
    cure: /app\.role/,
    sql: [
      `update provider_operation set due_at = due_at - interval '1 hour' where finished_at is null`,
      `update provider_operation set due_at = due_at + interval '1 hour' where finished_at is null`,
    ],
  },
};
let pooler: Awaited<ReturnType<typeof transactionPooler>>;

test.each(Object.entries(defects))('%s is named with its cure, and nothing else', async (_name, defect) => {
  const plant = defect.plant ?? (async () => async () => {});
  const cure = await plant();
  if (defect.sql !== undefined) await execute(defect.sql[0]);
  try {
    const settings = defect.settings?.() ?? settingsOf();
    const findings = findingsOf(await examine(settings, { ...healthyMachine, ...defect.machine }));
    expect(findings).toEqual([
      { check: defect.check, what: expect.stringMatching(defect.what), cure: expect.stringMatching(defect.cure) },
    ]);
    expect(JSON.stringify(findings)).not.toContain('secret@');
  } finally {
    if (defect.sql !== undefined) await execute(defect.sql[1]);
    await cure();
  }
});

/** On a connection of its own: settings of the database hold for new connections. */
async function execute(sql: string): Promise<void> {
  const client = databaseAt({ ...postgres.superuser, ssl: false });
  try {
    await client.query(sql);
  } finally {
    await client.drop();
  }
}

describe('findings that need another server', () => {
  const server = (facts: Partial<ServerFacts>) => ({ server: facts }) as never;

  test('an old version', async () => {
    expect(await version.checkDatabase(server({ version: 140_011 }))).toMatchObject({ what: /14$/ });
  });

  test('a standby', async () => {
    expect(await primary.checkDatabase(server({ in_recovery: true }))).toMatchObject({ what: /standby/ });
  });
});

test('a port that another program uses', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as { port: number };
    // A connection that says nothing: the check must not wait for it.
    other.on('connection', (socket) => socket.destroy());
    const findings = findingsOf(await examine(settingsOf({ PORT: String(port) }), healthyMachine));
    expect(findings).toMatchObject([{ check: 'the port is free, or Florin listens on it', cure: /ss -ltnp/ }]);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test('an archive is named until there is a proven base backup and all is archived', async () => {
  const archive = join(folder, 'archive');
  const named = async () =>
    findingsOf(await examine(settingsOf({ APP_BACKUP_ARCHIVE: archive }), healthyMachine)).map(({ what }) => what);
  expect(await named()).toEqual([`${archive} does not exist: mount its disk, or make the folder`]);
  await mkdir(archive);
  const identity = { format: 1, systemIdentifier: '1', segmentBytes: 16_777_216, postgres: '18' } as const;
  const { path } = await ArchiveFolder.openFor(identity, archive, true);
  expect(await named()).toEqual([`there is no proven base backup in ${path}`]);
});

test('missing keys are named, also while the database is stopped', async () => {
  await rename(keyFile(), join(folder, 'keys'));
  try {
    const findings = findingsOf(await examine(settingsOf(), healthyMachine));
    expect(findings[0]).toMatchObject({ check: 'the keys are there' });
    expect(findings[0]?.what).toMatch(/encryption-keys is missing/);
  } finally {
    await rename(join(folder, 'keys'), keyFile());
  }
});

test('the command ends with 1 when something is wrong, and prints it as lines or as JSON', async () => {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const settings = clusterNode({ APP_SANDBOX_ENABLED: 'true' });
  expect(await run([], { settings, print })).toBe(1);
  expect(lines.join('\n')).toMatch(/^WRONG {4}no payment can be made with the sandbox.*\ncure {5}set/m);
  expect(await run(['--json'], { settings, print })).toBe(1);
  expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ isHealthy: false });
});
