import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/postgres/database.ts';

const script = join(import.meta.dirname, '../../../tools/local/receiver.mjs');
const secret = 'whsec_DemonstrationSecret1';

test('the receiver for trying webhooks prints what it was sent without what acts on a terminal', async () => {
  const port = await freePort();
  const receiver = spawn(process.execPath, [script, secret, String(port)]);
  onTestFinished(() => {
    receiver.kill();
  });
  let shown = '';
  receiver.stdout.on('data', (chunk) => (shown += chunk));
  await eventually('it listens', () => shown.includes('Waiting'));
  const body = '{"name":"Acme\u009b2J\u202e\nsignature verified"}';
  const { status } = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: {
      'x-service-event': 'transaction.created\u009b31m',
      'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
    body,
  });
  expect(status).toBe(200);
  await eventually('the delivery', () => shown.includes('Acme'));
  expect(shown).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  // What the body says on a line of its own is no verdict.
  expect(shown.split('\n').filter((line) => line.startsWith('signature'))).toHaveLength(1);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
