import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { florinOn, type TestFlorin } from '../support/service/florin.ts';

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});
afterAll(() => db?.drop());

async function withFlorin(environment: Record<string, string>, work: (florin: TestFlorin) => Promise<void>) {
  const florin = await florinOn(db, environment);
  try {
    await work(florin);
  } finally {
    await florin.stop();
  }
}

test('without a token, metrics are for programs on this machine that no proxy forwards', () =>
  withFlorin({}, async (florin) => {
    const statusWith = async (headers: Record<string, string>) =>
      (await florin.call('GET', '/metrics', { headers })).status;
    expect(await statusWith({})).toBe(200);
    for (const name of ['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']) {
      expect(await statusWith({ [name]: '127.0.0.1' }), name).toBe(403);
    }
  }));

test('with a token, metrics need it from everywhere', () =>
  withFlorin({ APP_METRICS_TOKEN: 'of the scraper' }, async (florin) => {
    const refusedWith = async (as?: string) => {
      const { status, body } = await florin.get('/metrics', as);
      return [status, body?.error?.type];
    };
    expect(await refusedWith()).toEqual([401, 'credentials_missing']);
    expect(await refusedWith('Bearer wrong')).toEqual([401, 'credentials_invalid']);
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const right = await florin.call('GET', '/metrics', { as: 'Bearer of the scraper', headers });
    expect([right.status, String(right.body).includes('florin_')]).toEqual([200, true]);
  }));
