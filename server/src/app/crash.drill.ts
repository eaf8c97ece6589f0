import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../testing/database.ts';
import { type PayingNode, payingNode } from '../testing/paying-node.ts';

/** Kill after kill of one node and its embedded database: what was acknowledged is there, once, and is told. */
let node: PayingNode;

beforeAll(async () => {
  node = await payingNode();
});

afterAll(() => node.close());

// After how many answers the kill comes: at the first ones, when the queues are filled, and when totals are being folded.
describe.each([20, 400, 1_500])('after %i payments', (count) => {
  test('kill -9 of the service under load loses nothing, and a repeat of what was cut off makes it once', async () => {
    const load = node.load(`service-${count}`);
    await load.answered(count);
    expect((await node.service.end('SIGKILL')).signal).toBe('SIGKILL');
    await load.stop();
    await node.start();
    await node.expectKept(load);
  });

  test('kill -9 of PostgreSQL under load: the service serves again by itself, and nothing is lost', async () => {
    const load = node.load(`postgres-${count}`);
    await load.answered(count);
    const killed = node.postmaster() as number;
    process.kill(killed, 'SIGKILL');
    await eventually('another PostgreSQL runs', () => ![undefined, killed].includes(node.postmaster()));
    await load.answered(count);
    await load.stop();
    // Whoever had to wait too long was told to come back; nobody's connection broke.
    expect(load.cutOff).toEqual([]);
    expect(load.refusals.filter((status) => status !== 503)).toEqual([]);
    await node.expectKept(load);
  });

  test('kill -9 of both under load loses nothing', async () => {
    const load = node.load(`both-${count}`);
    await load.answered(count);
    process.kill(node.postmaster() as number, 'SIGKILL');
    await node.service.end('SIGKILL');
    await load.stop();
    await node.start();
    await node.expectKept(load);
  });

  test('SIGTERM under load answers every request it took, and ends with 0', async () => {
    const load = node.load(`term-${count}`);
    await load.answered(count);
    const { code } = await node.service.end('SIGTERM');
    await load.stop();
    await node.start();
    expect(code).toBe(0);
    expect({ cutOff: load.cutOff, refusals: load.refusals }).toEqual({ cutOff: [], refusals: [] });
    await node.expectKept(load);
  });

  test('the webhook hears of every payment at least once, always under the same id', () => node.expectTold());
});
