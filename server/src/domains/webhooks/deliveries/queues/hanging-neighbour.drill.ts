import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { type TestNodes, testNodes } from '../../../../../tests/support/service/nodes.ts';
import { heldAnswers } from '../../../../../tests/support/webhooks/deliveries.ts';
import type { Received } from '../../../../../tests/support/webhooks/receiver.ts';
import { minuteMs, secondMs } from '../../../../core/clock.ts';
import { uuidOfPublicId, uuidTimeMs } from '../../../../core/id.ts';

let db: TestDatabase;
let nodes: TestNodes;

beforeAll(async () => {
  db = await databaseFromTemplate();
  nodes = await testNodes(db);
});

afterAll(async () => {
  await nodes.close();
  await db.drop();
});

const backlog = 100_000;
const well = 50;
const windows = 6;
const windowMs = 4 * secondMs;
/** A delivery waits for the next poll, every 100 ms: the measurement is accurate to a tenth of that. */
const grainMs = 10;

test('one endpoint hangs with 100,000 due deliveries, and 50 others are served as promptly as alone', async () => {
  const latenciesMs: number[] = [];
  const prompt = await nodes.startReceiver(({ headers }, _request, response) => {
    latenciesMs.push(Date.now() - happenedMs(headers));
    response.writeHead(200).end();
  });
  const held = heldAnswers();
  const hanging = await nodes.startReceiver(held.answering);
  // Hanging requests hang to the end.
  const node = await nodes.start({ APP_WEBHOOK_TIMEOUT: '10m', APP_WEBHOOK_MAX_ENDPOINTS: '51' });
  for (let i = 0; i < well; i++) await nodes.registerEndpoint(node, `${prompt.url}/${i}`);

  /** The p99 of each window, in ms. */
  const measured = async (): Promise<number[]> => {
    const p99s: number[] = [];
    for (let i = 0; i < windows; i++) {
      latenciesMs.length = 0;
      const endsAtMs = Date.now() + windowMs;
      let happened = 0;
      while (Date.now() < endsAtMs) {
        await nodes.recordEvents(1);
        happened++;
        await new Promise((resolve) => setTimeout(resolve, 90));
      }
      await eventually('all deliveries have arrived', () => latenciesMs.length === happened * well, minuteMs);
      const sorted = latenciesMs.toSorted((a, b) => a - b);
      p99s.push(sorted[Math.floor(sorted.length * 0.99)] as number);
    }
    return p99s;
  };

  await measured();
  const without = await measured();
  const hangingId = await nodes.registerEndpoint(node, hanging.url);
  await nodes.recordEvents(1);
  await db.query(
    `insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at)
     select tenant_id, gen_random_uuid(), event_id, endpoint_id, due_at, created_at
       from delivery cross join generate_series(1, $2::int) where endpoint_id = $1`,
    [hangingId, backlog],
  );
  await eventually('it hangs', () => held.waiting === 8, minuteMs);
  const beside = await measured();

  expect(held.waiting).toBe(8);
  const others = () =>
    db.query<{ state: string }>(
      `select state, attempts, claims from delivery where endpoint_id <> $1 group by 1, 2, 3`,
      [hangingId],
    );
  const isRecorded = async () => (await others()).every(({ state }) => state !== 'OPEN');
  await eventually('the last results are recorded', isRecorded, minuteMs);
  expect(await others()).toEqual([{ state: 'SUCCEEDED', attempts: 1, claims: 1 }]);
  const p99 = { without: Math.min(...without), beside: Math.min(...beside) };
  console.log(`p99 of the others: ${p99.without} ms without it, ${p99.beside} ms beside it`, { without, beside });
  expect(p99.beside).toBeLessThanOrEqual(p99.without * 1.05 + grainMs);
});

/** The time in the event's id. */
function happenedMs(headers: Received['headers']): number {
  return uuidTimeMs(uuidOfPublicId('evt', String(headers['webhook-id'])) as string);
}
