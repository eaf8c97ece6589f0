import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenClaims } from '@florin/server/tests/broken-claims.ts';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pasted } from './pasted.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/guides/captures.md', import.meta.url)), 'utf8');
const snippets = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);

let db: TestDatabase;
let florin: TestFlorin;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'florin-captures-'));
  db = await databaseFromTemplate();
  // The first snippet reads the generated password from the data folder.
  florin = await florinOn(db, { APP_DATA_DIR: join(folder, 'data'), APP_ADMIN_PASSWORD: '' });
});

afterAll(async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  await florin.stop();
  await db.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('the story of captures, pasted in order: two parcels, a void, and an invoice that a capture pays', async () => {
  const script = snippets.map((commands) => `${commands}\necho`).join('\n');
  const printed = await pasted(folder, script.replaceAll('http://127.0.0.1:8080', florin.address));
  const invoice = JSON.parse(printed.slice(printed.lastIndexOf('{"code"'))).data;
  expect(invoice).toMatchObject({ status: 'PAID', amountPaid: 12_000 });
  const payments = await db.query(
    'select status, amount, amount_captured as captured from transaction order by created_at',
  );
  expect(payments).toEqual([
    { status: 'SUCCESS', amount: 9_000, captured: 4_000 },
    { status: 'CANCELLED', amount: 2_500, captured: 0 },
    { status: 'SUCCESS', amount: 12_000, captured: 12_000 },
  ]);
});
