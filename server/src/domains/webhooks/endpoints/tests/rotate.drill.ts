import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { type TestNodes, testNodes } from '../../../../../tests/support/service/nodes.ts';
import type { Received } from '../../../../../tests/support/webhooks/receiver.ts';
import { minuteMs, secondMs } from '../../../../core/clock.ts';

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

const secrets = ['the first secret', 'the second secret', 'the third secret'];

const signedAtMs = (headers: Received['headers']) => Number(headers['webhook-timestamp']) * 1000;

/** The secrets that made each header, by their index. */
function signersOf({ headers, body }: Received): { service: number[]; standard: number[] } {
  const given = String(headers['webhook-signature']).split(' ');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`;
  const made = (by: (secret: string) => boolean) => secrets.flatMap((secret, i) => (by(secret) ? [i] : []));
  return {
    service: made(
      (secret) => headers['x-service-signature'] === createHmac('sha256', secret).update(body).digest('hex'),
    ),
    standard: made((secret) =>
      given.includes(`v1,${createHmac('sha256', secret).update(signed).update(body).digest('base64')}`),
    ),
  };
}

test('while one node rotates the secret and others send, every delivery verifies', async () => {
  const receiver = await nodes.startReceiver();
  const api = await nodes.start({ APP_ROLE: 'api' });
  const id = await nodes.registerEndpoint(api, receiver.url, { secret: secrets[0] as string });
  const as = await nodes.administrator(api);
  await Promise.all([nodes.start({ APP_ROLE: 'worker' }), nodes.start({ APP_ROLE: 'worker' })]);
  let isHappening = true;
  const happening = (async () => {
    while (isHappening) await nodes.recordEvents(20);
  })();
  const arrived = (count: number) => {
    const wanted = receiver.received.length + count;
    return eventually(`${count} more`, () => receiver.received.length >= wanted, minuteMs);
  };
  const rotate = async (input: object) => dataOf(await api.post('/api/webhook/rotate', { id, ...input }, as));
  const steps: { fromMs: number; toMs: number; service: number[]; standard: number[] }[] = [];
  /**
   * Every node is notified of a step within a second; what was signed before, whenever it arrives, may have the earlier
   * signatures.
   */
  const signedBy = async (service: number[], standard: number[]) => {
    const fromMs = Date.now() + secondMs;
    await eventually(
      'signed a second later',
      () => receiver.received.filter(({ headers }) => signedAtMs(headers) >= fromMs).length >= 200,
      minuteMs,
    );
    // The timestamp of a delivery is a whole second.
    steps.push({ fromMs, toMs: Date.now() - secondMs, service, standard });
  };
  await arrived(100);
  await rotate({ secret: secrets[1] });
  await signedBy([0], [0, 1]);
  await rotate({ promote: true });
  await signedBy([1], [1]);
  await rotate({ secret: secrets[2] });
  await signedBy([1], [1, 2]);
  await rotate({ promote: true });
  await signedBy([2], [2]);
  isHappening = false;
  await happening;
  await nodes.allDelivered(minuteMs);

  const signers = receiver.received.map((received) => ({
    ...signersOf(received),
    atMs: signedAtMs(received.headers),
  }));
  expect(signers.filter(({ service, standard }) => service.length !== 1 || standard.length === 0)).toEqual([]);
  for (const { fromMs, toMs, ...expected } of steps) {
    const signed = signers.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    expect(signed.map(({ service, standard }) => ({ service, standard }))).toEqual(signed.map(() => expected));
  }
  expect(new Set(signers.map(({ service: [signer] }) => signer))).toEqual(new Set([0, 1, 2]));
});
