import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freeze } from '../../support/faults/freeze.ts';
import { type PayingNode, payingNode } from '../../support/payments/paying-node.ts';
import { eventually } from '../../support/postgres/database.ts';

/** PostgreSQL stops answering under load while its connections stay open. */
describe.skipIf(process.platform !== 'linux')('PostgreSQL stops responding under load', () => {
  let node: PayingNode;
  let thaw: (() => void) | undefined;

  beforeAll(async () => {
    node = await payingNode();
  });

  afterEach(() => thaw?.());
  afterAll(() => node.close());

  const freezeNow = () => {
    thaw = freeze(node.postmaster() as number);
  };
  const thawNow = () => {
    thaw?.();
    thaw = undefined;
  };

  test('no request gets a 500, and afterwards nothing is lost or doubled', async () => {
    const load = node.load('silence');
    await load.waitForAcknowledged(200);
    freezeNow();
    // Every connection's request has been refused, and then some.
    await eventually('requests are refused', () => load.errorStatuses.length >= 60);
    const read = await node.service.get('/api/transaction/list', node.as);
    expect(read.status).toBe(503);
    expect(Number(read.headers.get('retry-after'))).toBeGreaterThan(0);
    thawNow();
    await load.waitForAcknowledged(200);
    await load.stop();
    expect(new Set(load.errorStatuses)).toEqual(new Set([503]));
    expect(load.connectionErrors).toEqual([]);
    await node.expectAcknowledgedPayments(load);
  });

  test('a pause that ends as soon as it is detected refuses no request and closes no connection', async () => {
    const load = node.load('pause');
    await load.waitForAcknowledged(200);
    const before = await node.connections();
    const said = node.service.stderr.length;
    freezeNow();
    await eventually('it is noticed', () =>
      node.service.stderr.slice(said).includes('Notifications from other nodes are disconnected'),
    );
    thawNow();
    await load.waitForAcknowledged(200);
    await load.stop();
    expect({ refusals: load.errorStatuses, cutOff: load.connectionErrors }).toEqual({ refusals: [], cutOff: [] });
    const after = await node.connections();
    expect(before.filter((connection) => !after.includes(connection))).toEqual([]);
    await node.expectAcknowledgedPayments(load);
  });

  test('the webhook receives every payment at least once, always under the same id', () => node.expectDeliveries());
});
