import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, chargeOf, sandboxOn, webhookSecret } from '../../../../../tests/support/payments/sandbox.ts';
import { databaseFromTemplate, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { headersOf, readSandboxCallback, signedMessage } from './messages.ts';

const page = readFileSync(fileURLToPath(new URL('../../../../../../docs/guides/sandbox.md', import.meta.url)), 'utf8');
const block = (language: string) => new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

test("the callback in docs/guides/sandbox.md has exactly the fields of the sandbox's callbacks", () => {
  const shown = JSON.parse(block('json'));
  const { key, state, failureCode, fee, amount, currency, sequence } = shown;
  const message = signedMessage({ key, state, failureCode, fee, amount, currency }, sequence, webhookSecret);
  expect(JSON.parse(message.body)).toEqual(shown);
  const described = [...(page.split('## Callbacks')[1] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field);
  expect([...described, 'currency'].sort()).toEqual(Object.keys(shown).sort());
});

test('the callback that docs/guides/sandbox.md sends by hand is read correctly', () => {
  const body = /^BODY='(.*)'$/m.exec(page)?.[1]?.replace('txn_…-1', 'txn_1-1') ?? '';
  const content = JSON.parse(body);
  expect(content.id).toBe('mine-1');
  // The page signs it with openssl like this.
  const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
  const callback = readSandboxCallback(
    { headers: headersOf({ body, signature }), query: {}, body: Buffer.from(body), receivedMs: 0 },
    webhookSecret,
  );
  expect(callback.notice?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'card_declined' } });
});

test('the query in docs/guides/sandbox.md finds a payment that was charged twice, and no other', async () => {
  const { sandbox } = sandboxOn(db);
  const twice = chargeOf();
  for (const charge of [chargeOf(), chargeOf(), twice]) await sandbox.charge(charge, call());
  await sandbox.charge(chargeOf({ metadata: { sandbox: 'decline:card_declined' } }), call());
  expect(await db.query(block('sql'))).toEqual([]);
  await sandbox.charge(chargeOf({ key: `${twice.transactionId}-2` }), call());
  expect(await db.query(block('sql'))).toEqual([{ payment: twice.transactionId, charges: 2 }]);
});
