import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { referenceTexts, type ShellExample } from '@florin/server/app/openapi/reference-texts.ts';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestShell } from '../../cli/tests/run.ts';
import { pasted } from './pasted.ts';

/** Groups whose examples build on each other, in order; further ones follow. */
const inOrder = [
  'users',
  'tenants',
  'developer-keys',
  'channels',
  'inboxes',
  'webhooks',
  'transactions',
  'statistics',
  'refunds',
  'customers',
  'invoices',
  'plans',
  'subscriptions',
  'clocks',
  'ledger',
  'events',
  'callbacks',
];
const docs = fileURLToPath(new URL('../../docs', import.meta.url));
const reference = referenceTexts();
const further = [...reference.keys()].filter((name) => !inOrder.includes(name));

const examplesOfPage = (path: string, info = 'sh'): ShellExample[] => {
  const form = new RegExp(`^\`\`\`${info}\\n([\\s\\S]*?)^\`\`\`(?:\\n\\n^\`\`\`json\\n([\\s\\S]*?)^\`\`\`)?`, 'gm');
  const blocks = readFileSync(join(docs, path), 'utf8').matchAll(form);
  return [...blocks].map(([, commands = '', answer]) => ({ commands, ...(answer && { answer }) }));
};

/** Of the reference, after the variables that all use. */
const referenceExamples = [
  ...examplesOfPage('guides/api.md'),
  ...[...inOrder, ...further].flatMap((name) =>
    [...(reference.get(name)?.operations.values() ?? [])].flatMap(({ examples }) => examples),
  ),
  ...examplesOfPage('reference/errors.md'),
];
/** Of guides whose commands go on from the reference. */
const guideExamples = [
  ...examplesOfPage('guides/checkout.md'),
  ...['guides/refunds.md', 'guides/payments.md'].flatMap((page) => examplesOfPage(page, 'sh \\[curl\\]')),
];
const examples = [...referenceExamples, ...guideExamples];

let db: TestDatabase;
let florin: TestFlorin;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'florin-api-page-'));
  db = await databaseFromTemplate();
  // The first page reads the generated password from the data folder.
  florin = await florinOn(db, { APP_DATA_DIR: join(folder, 'data'), APP_ADMIN_PASSWORD: '' });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('the examples of the API reference, pasted in order, answer as the pages show', async () => {
  const mark = '--- example ';
  const script = examples.map(({ commands }, index) => `echo '${mark}${index}'\n${commands}\necho`).join('\n');
  const printed = await pasted(folder, script.replaceAll('http://127.0.0.1:8080', florin.address));
  const outputs = printed.split(new RegExp(`^${mark}\\d+\\n`, 'm')).slice(1);
  expect(outputs).toHaveLength(examples.length);
  const answered = examples.filter(({ answer }) => answer !== undefined);
  expect(answered.length).toBeGreaterThan(20);
  for (const [index, { commands, answer }] of examples.entries()) {
    if (answer !== undefined)
      expect(shapeOf(parsed(outputs[index], commands)), commands).toEqual(shapeOf(parsed(answer)));
  }
  expect(outputs.slice(-guideExamples.length).join('\n')).not.toContain('"code":4');
}, 180_000);

test('the first minute of the quickstart makes a payment that succeeds, and lists it', async () => {
  const quickstart = readFileSync(fileURLToPath(new URL('../../docs/quickstart.md', import.meta.url)), 'utf8');
  const lines = [...quickstart.matchAll(/^npx --no-install florin (.+)$/gm)].map(([, line = '']) => line);
  expect(lines).toHaveLength(3);
  const home = new TestShell({ FLORIN_URL: florin.address });
  const password = readFileSync(join(folder, 'data', 'admin-password'), 'utf8');
  try {
    const printed = [];
    for (const line of lines) {
      const [words = '', input] = line.split(' < data/admin-password');
      const ran = await home.run(words, input === undefined ? {} : { input: password });
      expect(ran.exitCode, `${line}: ${ran.stderr}`).toBe(0);
      printed.push(ran.stdout);
    }
    expect(printed[1]).toContain('transaction.succeeded');
    expect(printed[2]).toMatch(/^txn_\S+\tSUCCESS\t1999\tUSD/m);
  } finally {
    home.remove();
  }
});

test('the quickstart, pasted in order, takes a payment, refunds a part and shows the webhooks', async () => {
  const quickstart = readFileSync(fileURLToPath(new URL('../../docs/quickstart.md', import.meta.url)), 'utf8');
  const script = [...quickstart.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .map(([, commands]) => `${commands}\necho`)
    .join('\n');
  // On a port chosen by the system, the service does not know the address that inboxes are reached at.
  const reachable = script.replace(`"'$URL'"`, `"'$FLORIN/inbox/\${URL##*/}'"`);
  const printed = await pasted(folder, reachable.replaceAll('http://127.0.0.1:8080', florin.address));
  const replies = printed.split('\n').filter((line) => line.startsWith('{'));
  expect(replies.map((reply) => JSON.parse(reply).code)).toEqual([200, 200, 200, 200]);
  const [, timeline, refund, messages] = replies;
  expect(timeline).toContain('"status":"SUCCESS"');
  expect(refund).toContain('"amount":500');
  expect(messages).toContain('transaction.succeeded');
  expect(messages).toContain('"serviceSignature":"VERIFIED"');
});

function parsed(text: string | undefined, about = ''): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new Error(`Not JSON: ${text}\n${about}`);
  }
}

/** Fields with the same value in every run. Of all others only the type is compared. */
const fixedFields = new Set(['code', 'message', 'type', 'field', 'status', 'state', 'userType', 'tokenType', 'scope']);

/** Headers differ from one HTTP client to the next. */
const clientFields = new Set(['headers', 'responseHeaders']);

/** Null until the entry of the audit log is chained, about a second after it was written. */
const chainFields = new Set(['seq', 'chainedTime', 'hash']);

function shapeOf(value: unknown, name = ''): unknown {
  // Ids differ in every run, also in messages.
  if (fixedFields.has(name)) return typeof value === 'string' ? value.replace(/^User \d+/, 'User') : value;
  if (clientFields.has(name)) return typeof value;
  if (chainFields.has(name)) return 'chained';
  // Only the first entry of a list is compared.
  if (Array.isArray(value)) return value.slice(0, 1).map((entry) => shapeOf(entry));
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner, key)]));
}
