import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { databaseFromTemplate, eventually, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { type Receiver, startReceiver } from '@florin/server/tests/webhooks/receiver.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Florin, verifyWebhook } from '../../sdk/src/index.ts';
import { type Ran, type RunOptions, TestShell } from './run.ts';

let database: TestDatabase;
let florin: TestFlorin;
let receiver: Receiver;
let shop: Florin;
let channelId: number;
let key: string;
let front: Front;
let shell: TestShell;

beforeAll(async () => {
  [database, receiver] = await Promise.all([databaseFromTemplate(), startReceiver()]);
  florin = await florinOn(database);
  const admin = new Florin({ baseUrl: florin.address });
  await admin.login({ account: 'admin', password: administratorPassword });
  key = (await admin.keys.generate({ scope: '*', livemode: false })).sk as string;
  shop = new Florin({ baseUrl: florin.address, apiKey: key });
  const channel = { name: 'Bank', code: 'bank', type: 'OFFLINE', currency: 'USD', country: 'US', state: true } as const;
  channelId = (await shop.channels.modify(channel)).id;
  front = await frontOf(florin.address);
  shell = new TestShell({ FLORIN_URL: front.address, FLORIN_API_KEY: key });
});

afterAll(async () => {
  shell?.remove();
  await front?.stop();
  await florin?.stop();
  await receiver?.close();
  await database?.drop();
});

interface Front {
  address: string;
  /** Ends every connection and every new one, as if the service was killed. */
  leave: () => void;
  comeBack: () => void;
  stop: () => Promise<void>;
}

/** A proxy of the service that can disappear. */
async function frontOf(address: string): Promise<Front> {
  let isAway = false;
  const server: Server = createServer((incoming: IncomingMessage, outgoing) => {
    if (isAway) {
      outgoing.destroy();
      return;
    }
    const { method, url, headers } = incoming;
    const passed = request(address + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const front: Front = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leave: () => {
      isAway = true;
      server.closeAllConnections();
    },
    comeBack: () => {
      isAway = false;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return front;
}

interface Listening {
  prints: (text: string) => Promise<void>;
  end: () => Promise<Ran>;
}

/** Listens until `end`. */
function listen(options = '', further: Pick<RunOptions, 'stdin' | 'isTerminal' | 'open'> = {}): Listening {
  const interruption = new AbortController();
  let printed = '';
  const checks = new Set<() => void>();
  const ran = shell.run(`listen --forward-to ${receiver.url}/hooks --json${options}`, {
    ...further,
    signal: interruption.signal,
    onOutput: (stdout, stderr) => {
      printed = stdout + stderr;
      for (const check of checks) check();
    },
  });
  return {
    prints: (text) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (printed.includes(text)) resolve();
        };
        checks.add(check);
        check();
      }),
    end: () => {
      interruption.abort(new DOMException('Interrupted', 'AbortError'));
      return ran;
    },
  };
}

const pay = async () => (await shop.transactions.create({ amount: 1, currency: 'USD', channelId })).id;

const idsReceived = () => receiver.received.map(({ body }) => JSON.parse(String(body)).data.object.id as string);

test('every event is forwarded once, in order and signed, while the service disappears and comes back', async () => {
  await pay(); // Before anybody listened.
  const listening = listen();
  await listening.prints('Ctrl-C ends it');
  const paid = [await pay(), await pay()];
  await listening.prints(paid.at(-1) as string);
  front.leave();
  await listening.prints('Connection lost');
  for (let i = 0; i < 3; i++) paid.push(await pay());
  front.comeBack();
  await listening.prints(paid.at(-1) as string);
  const { exitCode, stdout, stderr } = await listening.end();
  expect(exitCode).toBe(130);

  expect(idsReceived()).toEqual(paid);
  const secret = /Signing secret: (\S+)/.exec(stderr)?.[1] as string;
  for (const { body, headers } of receiver.received) await verifyWebhook(body, headers, secret);
  const exchanges = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(exchanges[0]).toMatchObject({ type: 'transaction.created', result: 200, response: 'ok' });
});

test('the next run continues where the last one ended, with the same secret, and forwards nothing twice', async () => {
  const before = new Set(idsReceived());
  const meanwhile = await pay();
  const listening = listen();
  await listening.prints('Continuing');
  await listening.prints(meanwhile);
  await listening.end();
  expect(idsReceived().filter((id) => !before.has(id))).toEqual([meanwhile]);
});

test('--from-now skips the events since the last run, and --events all other types', async () => {
  const meanwhile = await pay();
  const listening = listen(' --from-now --events transaction.succeeded');
  await listening.prints('Ctrl-C ends it');
  const id = await pay();
  await shop.transactions.update({ id, status: 'SUCCESS' });
  await listening.prints(id);
  await listening.end();
  const types = receiver.received
    .filter(({ body }) => String(body).includes(id))
    .map(({ headers }) => headers['x-service-event']);
  expect(types).toEqual(['transaction.succeeded']);
  expect(idsReceived()).not.toContain(meanwhile);
});

test('a receiver that is missing or refuses is shown and does not end the command', async () => {
  receiver.answering = 503;
  const listening = listen();
  await listening.prints('Continuing');
  await listening.prints(await pay());
  const { stdout } = await listening.end();
  expect(stdout).toContain('"result":503');
  receiver.answering = 200;
});

test('a person sees the meaning of a response, its duration, and the body of one other than 2xx', async () => {
  receiver.answering = 422;
  const interruption = new AbortController();
  const { promise: isShown, resolve } = Promise.withResolvers<void>();
  const ran = shell.run(`listen --forward-to ${receiver.url}/hooks --from-now`, {
    isTerminal: true,
    signal: interruption.signal,
    onOutput: (stdout, stderr) => {
      if (stderr.includes('Ctrl-C ends it') && stdout === '') pay().catch(() => {});
      if (stdout.includes(' ms')) resolve();
    },
  });
  await isShown;
  interruption.abort(new DOMException('Interrupted', 'AbortError'));
  const { stdout, stderr } = await ran;
  const [before, shown, after] = stdout.split(/\[(?:31|0)m/);
  expect([before, after]).toEqual(['\u001b', '\n']);
  expect(shown).toMatch(/^\S+ {2}transaction\.created {2}evt_\S+ {2}422 Unprocessable Entity {2}\d+ ms/);
  expect(stderr).toMatch(/^ {4}\S/m);
  receiver.answering = 200;
});

/** A keyboard. */
class Terminal extends PassThrough {
  readonly isTTY = true;
  isRaw = false;

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
}

test('in a terminal r posts the last event again, under the same id, and o opens it', async () => {
  const stdin = new Terminal();
  const { promise: opened, resolve: open } = Promise.withResolvers<string>();
  const listening = listen(' --from-now', { stdin, isTerminal: true, open });
  await listening.prints('r posts the last event again');
  expect(stdin.isRaw).toBe(true);
  const id = await pay();
  await listening.prints(id);
  const posts = () => receiver.received.filter(({ body }) => String(body).includes(id));
  expect(posts()).toHaveLength(1);
  stdin.write('r');
  await eventually('it is posted again', () => posts().length === 2);
  const [first, second] = posts().map(({ body }) => JSON.parse(String(body)));
  expect(second).toEqual(first);
  stdin.write('o');
  expect(await opened).toBe(`${front.address}/events/${first.id}`);
  await listening.end();
  expect(stdin.isRaw).toBe(false);
});

test('wrong credentials end the command before it says that it listens', async () => {
  const ran = await shell.run('listen', { env: { FLORIN_API_KEY: 'sk_test_wrong' } });
  expect(ran.exitCode).toBe(3);
  expect(ran.stderr).not.toContain('Listening');
});
