import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../testing/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../testing/florin.ts';
import { startReceiver } from '../../testing/receiver.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const page = readFileSync(`${root}/docs/webhooks.md`, 'utf8');
const [receiverCode = '', standardCode = ''] = [...page.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code);
const [payload = ''] = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, json]) => json);
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await florin.login('admin', administratorPassword);
  const channel = { name: 'Wire', code: 'wire', type: 'OFFLINE', currency: 'USD', country: 'US', state: true };
  channelId = (await florin.post('/api/channel/modify', channel, as)).body.data.id;
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

test("the page's receiver takes what Florin sends, handles a repeat once, and refuses what is forged", async () => {
  const receiver = await runReceiver();
  try {
    const { url, lines } = receiver;
    await florin.post('/api/webhook/register', { url, events: ['transaction.*'], secret }, as);
    const { body } = await florin.post('/api/transaction/create', { amount: 1, currency: 'USD', channelId }, as);
    const { id } = body.data;
    await florin.post('/api/transaction/update', { id, status: 'SUCCESS' }, as);
    await eventually('both events are handled', () => lines.length === 2);
    expect(lines.toSorted()).toEqual([`transaction.created ${id} 1`, `transaction.succeeded ${id} 2`]);

    const event = JSON.stringify({ type: 'transaction.created', data: { object: { id: 'txn_again', version: 1 } } });
    const signature = createHmac('sha256', secret).update(event).digest('hex');
    expect(await post(url, event, signature)).toBe(200);
    expect(await post(url, event, signature)).toBe(200);
    expect(await post(url, event.replace('again', 'other'), signature)).toBe(401);
    expect(await post(url, event, '')).toBe(401);
    await eventually('the repeated event is handled', () => lines.length === 3);
    expect(lines.filter((line) => line.includes('txn_again'))).toHaveLength(1);
  } finally {
    receiver.stop();
  }
});

test("the page's payload has the shape of a real one, and the page's use of Standard Webhooks verifies it", async () => {
  const receiver = await startReceiver();
  try {
    await florin.post('/api/webhook/register', { url: receiver.url, events: ['transaction.created'], secret }, as);
    await florin.post('/api/transaction/create', { amount: 1, currency: 'USD', channelId, metadata: { order: 1 } }, as);
    await eventually('the delivery arrives', () => receiver.received.length === 1);
    const [{ body, headers } = { body: Buffer.of(), headers: {} }] = receiver.received;
    const real = JSON.parse(body.toString('utf8'));
    const shown = JSON.parse(payload);
    expect(Object.keys(shown)).toEqual(Object.keys(real));
    expect(Object.keys(shown.data.object)).toEqual(Object.keys(real.data.object));

    expect(await verifiedByPage(body.toString('utf8'), headers)).toBe('transaction.created');
    expect(await verifiedByPage(body.toString('utf8').replace('USD', 'EUR'), headers)).toContain('refused');
  } finally {
    await receiver.close();
  }
});

interface RunningReceiver {
  url: string;
  /** What it has handled. */
  lines: string[];
  stop: () => void;
}

async function runReceiver(): Promise<RunningReceiver> {
  const child = node(receiverCode, { WEBHOOK_SECRET: secret, PORT: '0' });
  const lines: string[] = [];
  const port = await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error("The page's receiver ended before it listened.")));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, listening] = /^listening on port (\d+)$/.exec(line) ?? [];
      if (listening === undefined) lines.push(line);
      else resolve(listening);
    });
  });
  return { url: `http://127.0.0.1:${port}/`, lines, stop: () => child.kill() };
}

async function post(url: string, body: string, signature: string): Promise<number> {
  const headers = { 'x-service-delivery': 'dlv_1', 'x-service-signature': signature };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** The event's type as the page's function gives it, or `refused`. */
async function verifiedByPage(body: string, headers: object): Promise<string> {
  const ask = `try { console.log(eventOf(${JSON.stringify(body)}, ${JSON.stringify(headers)}).type) }
    catch (error) { console.log('refused', error.message) }`;
  const child = node(`${standardCode}\n${ask}`, { WEBHOOK_SECRET: secret });
  let printed = '';
  for await (const chunk of child.stdout) printed += chunk;
  return printed.trim();
}

function node(code: string, environment: Record<string, string>) {
  return spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
