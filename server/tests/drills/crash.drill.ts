import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PayingNode, payingNode } from '../support/payments/paying-node.ts';
import { eventually } from '../support/postgres/database.ts';

/** Repeated kills of one node and its embedded database: every acknowledged payment is stored once and delivered. */
let node: PayingNode;

beforeAll(async () => {
  node = await payingNode();
});

afterAll(() => node.close());

// The number of answers before the kill: at the beginning, with full queues, and while totals are rolled up.
describe.each([20, 400, 1_500])('after %i payments', (count) => {
  test('kill -9 of the service under load loses nothing, and a repeated request creates its payment once', async () => {
    const load = node.load(`service-${count}`);
    await load.waitForAcknowledged(count);
    expect((await node.service.end('SIGKILL')).signal).toBe('SIGKILL');
    await load.stop();
    await node.start();
    await node.expectAcknowledgedPayments(load);
  });

  test('kill -9 of PostgreSQL under load: the service recovers by itself, and nothing is lost', async () => {
    const load = node.load(`postgres-${count}`);
    await load.waitForAcknowledged(count);
    const killed = node.postmaster() as number;
    process.kill(killed, 'SIGKILL');
    await eventually('another PostgreSQL runs', () => ![undefined, killed].includes(node.postmaster()));
    await load.waitForAcknowledged(count);
    await load.stop();
    // Requests that had to wait too long were refused with Retry-After; no connection broke.
    expect(load.connectionErrors).toEqual([]);
    expect(load.errorStatuses.filter((status) => status !== 503)).toEqual([]);
    await node.expectAcknowledgedPayments(load);
  });

  test('kill -9 of both under load loses nothing', async () => {
    const load = node.load(`both-${count}`);
    await load.waitForAcknowledged(count);
    process.kill(node.postmaster() as number, 'SIGKILL');
    await node.service.end('SIGKILL');
    await load.stop();
    await node.start();
    await node.expectAcknowledgedPayments(load);
  });

  test('SIGTERM under load answers every accepted request, and the process ends with 0', async () => {
    const load = node.load(`term-${count}`);
    await load.waitForAcknowledged(count);
    const { code } = await node.service.end('SIGTERM');
    await load.stop();
    await node.start();
    expect(code).toBe(0);
    expect({ cutOff: load.connectionErrors, refusals: load.errorStatuses }).toEqual({ cutOff: [], refusals: [] });
    await node.expectAcknowledgedPayments(load);
  });

  test('the webhook receives every payment at least once, always under the same id', () => node.expectDeliveries());
});
