import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../testing/database.ts';
import { call, chargeOf, sandboxOn, webhookSecret } from '../../../../testing/sandbox.ts';
import { headersOf, readMessage, signedMessage } from './messages.ts';

const page = readFileSync(fileURLToPath(new URL('../../../../../../docs/guides/sandbox.md', import.meta.url)), 'utf8');
const block = (language: string) => new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(page)?.[1] ?? '';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

test("the page's callback is one of the sandbox's, field by field", () => {
  const shown = JSON.parse(block('json'));
  const { key, state, failureCode, fee, amount, currency, sequence } = shown;
  const message = signedMessage({ key, state, failureCode, fee, amount, currency }, sequence, webhookSecret);
  expect(JSON.parse(message.body)).toEqual(shown);
  const described = [...(page.split('## Callbacks')[1] ?? '').matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field);
  expect([...described, 'currency'].sort()).toEqual(Object.keys(shown).sort());
});

test('the callback one can send oneself is taken for what it says', () => {
  const body = /^BODY='(.*)'$/m.exec(page)?.[1]?.replace('txn_…-1', 'txn_1-1') ?? '';
  const told = JSON.parse(body);
  expect(told.id).toBe('mine-1');
  // As the page's openssl signs it.
  const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
  const news = readMessage(
    { headers: headersOf({ body, signature }), query: {}, body: Buffer.from(body), receivedMs: 0 },
    webhookSecret,
  );
  expect(news.notice?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'card_declined' } });
});

test('the question that the page asks of the books finds a payment that was charged twice, and no other', async () => {
  const { sandbox } = sandboxOn(db);
  const twice = chargeOf();
  for (const charge of [chargeOf(), chargeOf(), twice]) await sandbox.charge(charge, call());
  await sandbox.charge(chargeOf({ metadata: { sandbox: 'decline:card_declined' } }), call());
  expect(await db.query(block('sql'))).toEqual([]);
  await sandbox.charge(chargeOf({ key: `${twice.transactionId}-2` }), call());
  expect(await db.query(block('sql'))).toEqual([{ payment: twice.transactionId, charges: 2 }]);
});
