import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeChannel, makePaid } from '../../tests/support/factories.ts';
import { channelSecret } from '../../tests/support/payments/callbacks.ts';
import { databaseFromTemplate, type TestDatabase } from '../../tests/support/postgres/database.ts';
import { florinOn, type TestFlorin, urlOf } from '../../tests/support/service/florin.ts';
import { runProgram } from '../../tests/support/service/run-program.ts';
import { chainAuditEntries } from '../domains/identity/audit/chain.ts';
import { auditHeads, headText } from '../domains/identity/audit/heads.ts';
import { startFlorinPostgres } from '../platform/postgres/embedded/florin-postgres.ts';
import { migrate } from '../platform/postgres/migrate.ts';
import { checks, keyedChecks } from './integrity.ts';

/** `npm run verify`, as a program. What it finds is tested in `verify.test.ts`. */
let db: TestDatabase;
let florin: TestFlorin;
let folder: string;
/** A payment and its only refund. */
let payment: string;
let refund: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-verify-'));
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  const admin = await administratorOf(florin);
  const post = async (path: string, body: object) => dataOf(await florin.post(path, body, admin));
  await post('/api/webhook/register', { url: 'http://127.0.0.1:9/', events: ['*'], secret: 'a secret of tests' });
  await makeChannel(florin, admin, { provider: 'sandbox', webhookSecret: channelSecret });
  payment = await makePaid(florin, admin, await makeChannel(florin, admin));
  refund = (await post('/api/refund/create', { transactionId: payment, amount: 100 })).id;
  await chainAuditEntries(db.database);
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

const script = join(fileURLToPath(import.meta.url), '..', 'verify.ts');

async function run(environment: Record<string, string>, ...words: string[]) {
  const { code, stdout, stderr } = await runProgram(process.execPath, [script, ...words], { cwd: folder, environment });
  const [sealed = [], lines = []] = [true, false].map((isCount) =>
    stdout.split('\n').filter((line) => line !== '' && line.startsWith('sealed ') === isCount),
  );
  return { code, lines, sealed, stderr };
}

const everythingOk = [
  ...checks.map(({ claim }) => `ok      ${claim}`),
  ...keyedChecks.map(({ claim }) => expect.stringContaining(`${claim}`)),
];
const isHead = (line: string) => line.startsWith('head ');

test('while the service runs, prints a line for each claim and ends with 0, or with 1 when one is broken', async () => {
  const environment = { DATABASE_URL: urlOf(db.connection) };
  const { lines: printed, sealed, ...ended } = await run(environment);
  expect(ended).toEqual({ code: 0, stderr: '' });
  expect(printed.filter((line) => !isHead(line))).toEqual(everythingOk);
  const heads = (await auditHeads(db.database)).map(headText);
  expect(printed.filter(isHead)).toEqual(heads.map((head) => `head    ${head}`));
  const counts = /^sealed {2}key \w+ has sealed keys of event digests: 1, webhook endpoints: 1, channels: 1$/;
  expect(sealed).toEqual([expect.stringMatching(counts)]);
  await db.query(`update refund set currency = 'JPY'`);
  try {
    const head = (heads[0] as string).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
    const { code, lines } = await run(environment, '--audit-head', heads[0] as string, '--audit-head', head);
    expect(code).toBe(1);
    expect(lines.filter((line) => line.startsWith('BROKEN'))).toEqual([
      expect.stringMatching(new RegExp(`^BROKEN  A payment holds .*: ${payment}$`)),
      expect.stringMatching(new RegExp(`^BROKEN  Every refund that succeeded is booked .*: ${refund}$`)),
      expect.stringMatching(new RegExp(`^BROKEN  Every refund has the payment, .*: ${refund}$`)),
      expect.stringMatching(/^BROKEN {2}The audit log agrees with the head .*: entry \d+ of .* has another hash$/),
    ]);
    expect(lines).toHaveLength(checks.length + keyedChecks.length + 2 + heads.length);
    expect(lines).toContain(`ok      The audit log agrees with the head ${heads[0]}`);
  } finally {
    await db.query(`update refund set currency = 'USD'`);
  }
});

test('connects to the embedded PostgreSQL if it runs, and starts it if not', async () => {
  const dataDir = join(folder, 'data');
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const postgres = await startFlorinPostgres({ dataDir, log });
  const environment = { APP_DATA_DIR: dataDir };
  try {
    const early = await run(environment);
    expect(early).toMatchObject({ code: 2, lines: [], stderr: expect.stringContaining('start Florin once') });
    await migrate(postgres.connection, () => {});
    expect(await run(environment)).toEqual({ code: 0, lines: everythingOk, sealed: [], stderr: '' });
  } finally {
    await postgres.stop();
  }
  expect(await run(environment)).toEqual({ code: 0, lines: everythingOk, sealed: [], stderr: '' });
});

test('prints in one line why it cannot check, creates nothing, and ends with 2', async () => {
  for (const [environment, line] of [
    [{ APP_DATA_DIR: join(folder, 'nothing') }, /there is no database in .*nothing/],
    [{ DATABASE_URL: 'postgres://127.0.0.1:1/x' }, /app\.database\.url cannot be used/],
    [{ APP_NONSENSE: 'x' }, /APP_NONSENSE is not a setting/],
  ] as const) {
    const { code, lines, stderr } = await run(environment);
    expect({ code, lines }).toEqual({ code: 2, lines: [] });
    expect(stderr).toMatch(line);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  }
});
