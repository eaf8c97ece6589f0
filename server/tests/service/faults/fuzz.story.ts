import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenClaims } from '../../support/broken-claims.ts';
import { faultOf, send } from '../../support/faults/fuzz/exchange.ts';
import { type Prepared, prepare } from '../../support/faults/fuzz/records.ts';
import { type Operation, operationsOf, requestTo } from '../../support/faults/fuzz/requests.ts';
import { validValues } from '../../support/faults/fuzz/valid-values.ts';
import { databaseFromTemplate, type TestDatabase } from '../../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../../support/service/florin.ts';

/**
 * Requests generated from the OpenAPI document, some valid, most invalid in one way; the same in every run. `npm run
 * fuzz` sends 20,000 others.
 */
const seed = 20_261_128;
const rounds = 60;
/** Requests in flight at once. */
const requestsInRound = 25;

let db: TestDatabase;
let florin: TestFlorin;
let operations: Operation[];
let prepared: Prepared;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  prepared = await prepare(florin);
  const { body } = await florin.get('/openapi.json');
  operations = operationsOf(body, validValues(prepared.records));
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

test('every request gets a valid answer: never a 5xx, always the envelope', async () => {
  const statuses: Record<string, number[]> = {};
  await fc.assert(
    fc.asyncProperty(
      fc.array(requestTo(operations, prepared.credentials.length), {
        minLength: requestsInRound,
        maxLength: requestsInRound,
      }),
      async (round) => {
        const faults = await Promise.all(
          round.map(async (sent) => {
            const response = await send(sent, florin, prepared);
            const { path, method } = sent.operation;
            const ofOperation = statuses[`${method} ${path}`] ?? [];
            statuses[`${method} ${path}`] = ofOperation;
            ofOperation.push(response.status);
            const fault = faultOf(response, await response.text());
            return fault && `${method} ${path}: ${fault} ${JSON.stringify(sent.pairs)}`;
          }),
        );
        expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
      },
    ),
    { seed, numRuns: rounds, endOnFailure: true },
  );
  // This proves something only if every operation was reached, and often got past its first check.
  const all = Object.values(statuses).flat();
  expect(Object.keys(statuses)).toHaveLength(operations.length);
  expect(all.filter((status) => status === 200).length / all.length).toBeGreaterThan(0.15);
  expect([...new Set(all)]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 409, 415]));
  expect((await florin.get('/health/ready')).status).toBe(200);
}, 180_000);

test('afterwards every integrity claim holds, and the totals equal a recount', async () => {
  expect(await brokenClaims(db.database)).toEqual([]);
  const { pagination } = (await florin.get('/api/transaction/list', prepared.credentials[0])).body;
  const [row] = await db.query<{ count: number }>('select count(*) as count from transaction');
  expect(pagination.total).toBe(row?.count);
});
