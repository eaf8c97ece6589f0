import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenClaims } from '@florin/server/tests/broken-claims.ts';
import { databaseFromTemplate, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pasted } from './pasted.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/guides/disputes.md', import.meta.url)), 'utf8');
const snippets = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, commands = '']) => commands);

let db: TestDatabase;
let florin: TestFlorin;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'florin-disputes-'));
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

test('the story of a dispute, pasted in order, ends with the dispute won', async () => {
  const script = snippets
    .map((commands) => `${commands}\necho`)
    .join('\n')
    // Each answer has a line of its own.
    .replaceAll(/^(curl -s [\s\S]*?)(?=\n(?:curl|printf|until|echo|$))/gm, '$1; echo')
    .replaceAll('http://127.0.0.1:8080', florin.address);
  const printed = await pasted(folder, script);
  const answers = printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const [refused, drafted, file, submitted, events, timeline, dispute] = answers;
  expect(refused.error.type).toBe('payment_disputed');
  expect(drafted.data.evidence.texts.explanation).toContain('winning_evidence');
  expect(file.data).toMatchObject({ name: 'receipt', type: 'application/pdf' });
  expect(submitted.data.answers).toMatchObject([{ kind: 'SUBMIT' }]);
  const types = events.data.map(({ type }: { type: string }) => type).toReversed();
  expect(types).toEqual(
    ['created', 'funds_withdrawn', 'updated', 'funds_reinstated', 'won'].map((word) => `dispute.${word}`),
  );
  expect(timeline.data.at(-1)).toMatchObject({ type: 'dispute_won' });
  expect(dispute.data).toMatchObject({ status: 'WON', amountWithdrawn: 0, answers: [{ state: 'SUCCEEDED' }] });
});
