import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { serviceRole } from '../../../../src/platform/postgres/embedded/service-role.ts';
import { administratorOf, dataOf, makeKey, unique } from '../../factories.ts';
import { eventually } from '../../postgres/database.ts';
import { startService } from '../../service/service-process.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import { freeze } from '../freeze.ts';
import type { Scenario } from './scenario.ts';
import type { Kills } from './situations.ts';

/** Longer than the intervals at which the monitor, the clock and the notifications check their connections. */
const checkedWithinMs = 1_500;

export function nodePartKills(
  scenario: Scenario,
): Kills<
  | 'sweeper'
  | 'poller'
  | 'plan renewal'
  | 'clock'
  | 'primary monitor'
  | 'bus'
  | 'last uses of keys'
  | 'last uses of sessions'
  | 'reset mails'
  | 'mails to users'
  | 'audit chain'
  | 'refused requests'
  | 'request log'
  | 'event streams'
  | 'heartbeat'
> {
  const { node, count, reaches, isNone, killPostgres, lock, waits, pay, paidOnce } = scenario;
  return {
    sweeper: {
      sweeping: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(1, 'late', channelId);
        await paidOnce(ids, channelId);
        await reaches(
          'the callback is settled',
          `provider_callback where channel_id = ${channelId} and state = 'SETTLED'`,
        );
        await node.query(
          `update provider_callback set settled_at = settled_at - interval '1 year' where channel_id = ${channelId}`,
        );
        await node.end();
        await node.start();
        scenario.restarted();
        // Half a minute after the start.
        await sweeps('provider_callback');
        await killPostgres();
        await isNone('expired callbacks are deleted', `provider_callback where channel_id = ${channelId}`);
      },
    },
    poller: {
      polling: async () => {
        await lock('clock', 'access exclusive');
        await waits('clock');
        await killPostgres();
        await findsDueWork();
      },
    },
    'plan renewal': {
      measuring: async () => {
        // The size of a table that is locked cannot be read. Checks come once a minute at least.
        await lock('saved_view', 'access exclusive');
        await waits('saved_view');
        await killPostgres();
        await findsDueWork();
      },
    },
    'event streams': {
      reading: async () => {
        const channelId = await scenario.makeChannel();
        const ids = await pay(1, 'late', channelId);
        await paidOnce(ids, channelId);
        await lock('event', 'access exclusive');
        const ended = new AbortController();
        const { signal } = ended;
        const headers = { authorization: node.as };
        const stream = await fetch(`${node.service.address}/api/stream`, { headers, signal });
        const chunks = stream.body?.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
        try {
          await killPostgres();
          const later = await pay(1, 'late', channelId);
          let seen = '';
          while (!seen.includes(`${later[0]}`)) seen += (await chunks?.next())?.value ?? '';
          await paidOnce([...ids, ...later], channelId);
        } finally {
          ended.abort();
        }
      },
    },
    clock: { reading: killedWhileChecked },
    'primary monitor': { checking: killedWhileChecked },
    bus: {
      probing: killedWhileChecked,
      sending: async () => {
        const secrets = (name: string) => readFileSync(join(node.dataDir, name), 'utf8').trim();
        const socket = encodeURIComponent(join(node.dataDir, 'postgres', 'socket'));
        const before = new Set(await backends());
        // A node relays only to other nodes. The first node's supervisor starts PostgreSQL again.
        const second = await startService({
          environment: {
            PORT: '0',
            APP_DATABASE_URL: `postgres://${serviceRole}@localhost/florin?host=${socket}`,
            APP_DEPLOYMENT_MODE: 'CLUSTER',
            APP_SANDBOX_ENABLED: 'true',
            APP_ROLE: 'api',
            APP_JWT_KEYS: secrets('jwt-keys'),
            APP_ENCRYPTION_KEYS: secrets('encryption-keys'),
            APP_DATA_DIR: join(node.dataDir, 'second'),
          },
        });
        try {
          const channelId = await scenario.makeChannel();
          const ids: string[] = [];
          const create = async () => {
            const payment = { amount: 1999, currency: 'USD', channelId };
            ids.push(dataOf(await second.post('/api/transaction/create', payment, node.as)).id);
          };
          await create();
          await paidOnce(ids, channelId);
          // Suspends its backends, so that the notification of the next payment is in flight when PostgreSQL is killed.
          for (const pid of await backends()) if (!before.has(pid)) process.kill(pid, 'SIGSTOP');
          await create();
          await killPostgres();
          await eventually('the second node serves', async () => {
            return (await second.get('/api/channel/list', node.as)).status === 200;
          });
          await create();
          await paidOnce(ids, channelId);
          expect(second.stderr).not.toContain('A defect');
        } finally {
          await second.end('SIGTERM');
        }
      },
    },
    heartbeat: {
      noting: async () => {
        await lock('service_node');
        await waits('service_node');
        await killPostgres();
        const [{ now } = { now: '' }] = await node.query<{ now: string }>('select now()::text as now');
        await reaches('the node is noted again', `service_node where seen_at > '${now}'::timestamptz`);
        expect(await count('service_node')).toBe(1);
      },
    },

    'last uses of keys': {
      recording: async () => {
        const { as, id } = await makeKey(node.service, node.as);
        await lock('developer_key');
        expect((await node.service.get('/api/transaction/list', as)).status).toBe(200);
        await waits('developer_key');
        await killPostgres();
        expect((await node.service.get('/api/transaction/list', as)).status).toBe(200);
        await reaches('the use is recorded', `developer_key where id = ${id} and last_used_at is not null`);
      },
    },
    'last uses of sessions': {
      recording: async () => {
        const as = await administratorOf(node.service);
        await lock('session');
        expect((await node.service.get('/api/user/info', as)).status).toBe(200);
        await waits('session');
        await killPostgres();
        expect((await node.service.get('/api/user/info', as)).status).toBe(200);
        await reaches('the use is recorded', `session where id = '${sessionOf(as)}' and last_used_at is not null`);
      },
    },
    'reset mails': {
      'recording a token': async () => {
        const before = mails().length;
        await lock('password_reset');
        expect((await node.service.post('/api/user/forgot-password', { email: 'admin@localhost' })).status).toBe(200);
        await waits('password_reset');
        await killPostgres();
        await eventually('the mail is written', () => mails().length === before + 1);
      },
    },
    'mails to users': {
      queueing: async () => {
        const held: ServerResponse[] = [];
        let holds = true;
        const receiver = await startReceiver((_received, _request, response) => {
          if (holds) held.push(response);
          else response.writeHead(410).end();
        });
        const hook = {
          url: receiver.url,
          events: ['transaction.created'],
          secret: 'our shared secret',
          livemode: false,
        };
        const { id } = await scenario.post('webhook/register', hook);
        const channelId = await scenario.makeChannel();
        const before = mails().length;
        const ids = await pay(1, 'succeed', channelId);
        await eventually('the delivery has arrived', () => held.length > 0);
        await lock('user_mail');
        holds = false;
        for (const response of held) response.writeHead(410).end();
        await waits('user_mail');
        await killPostgres();
        await paidOnce(ids, channelId);
        // The answer to the first delivery could not be acted on; the next one says the same.
        await pay(1, 'succeed', channelId);
        await reaches('the endpoint is disabled', `webhook_endpoint where id = ${id} and not state`);
        await eventually('the mail is written', () => mails().length === before + 1);
        await receiver.close();
      },
      'recording a token': async () => {
        const before = mails().length;
        await lock('password_reset');
        await invite();
        await waits('password_reset');
        await killPostgres();
        await eventually('the mail is written', () => mails().length === before + 1);
        await isNone('every mail has ended', `user_mail where state = 'OPEN'`);
      },
      'recording the end': async () => {
        const before = mails().length;
        const held = await lock('password_reset');
        await invite();
        await waits('password_reset');
        await lock('user_mail');
        await held.release();
        await eventually('the mail is written', () => mails().length === before + 1);
        await waits('user_mail');
        await killPostgres();
        await isNone('every mail has ended', `user_mail where state = 'OPEN'`);
      },
    },
    'audit chain': {
      chaining: async () => {
        await lock('audit_chain', 'access exclusive');
        await scenario.makeChannel();
        await waits('audit_chain');
        await killPostgres();
        await isNone('every entry is chained', 'audit_entry where seq is null');
      },
    },
    'request log': {
      recording: async () => {
        await lock('api_request');
        expect((await node.service.get('/api/channel/list', node.as)).status).toBe(200);
        await waits('api_request');
        await killPostgres();
        // The rows in flight are dropped and counted; later ones are recorded.
        const before = await count('api_request');
        expect((await node.service.get('/api/channel/list', node.as)).status).toBe(200);
        await eventually('later requests are recorded', async () => (await count('api_request')) > before);
      },
    },
    'refused requests': {
      recording: async () => {
        const [first, second] = [await readingKey(), await readingKey()];
        await lock('audit_entry');
        expect((await node.service.get('/api/channel/list', first.as)).status).toBe(403);
        await waits('audit_entry');
        await killPostgres();
        expect((await node.service.get('/api/channel/list', second.as)).status).toBe(403);
        await reaches(
          'the refusal is recorded',
          `audit_entry where action = 'access.refuse' and (body::json->>'keyId')::bigint = ${second.id}`,
        );
      },
    },
  };

  /** The backends of connections that no request uses. */
  async function backends(): Promise<number[]> {
    const rows = await node.query<{ pid: number }>(
      `select pid from pg_stat_activity
        where application_name like 'florin %' and application_name not in ('florin main', 'florin writer')`,
    );
    return rows.map(({ pid }) => pid);
  }

  /** The session of an access token. */
  function sessionOf(as: string): string {
    const [, claims = ''] = as.split('.');
    return JSON.parse(Buffer.from(claims, 'base64url').toString()).sid;
  }

  function readingKey() {
    return makeKey(node.service, node.as, 'transaction_read');
  }

  /** By a fresh login, because creating a user needs one. */
  async function invite(): Promise<void> {
    const userName = unique('guest');
    const user = { userName, email: `${userName}@home.example`, userType: 'MERCHANT_USER', state: true };
    dataOf(await node.service.post('/api/user/modify', user, await administratorOf(node.service)));
  }

  function mails(): string[] {
    try {
      return readdirSync(join(node.dataDir, 'mail'));
    } catch {
      return [];
    }
  }

  /** Kills the database while every check of it is in flight and unanswered. */
  async function killedWhileChecked(): Promise<void> {
    freeze(node.postmaster() as number);
    await sleep(checkedWithinMs);
    await killPostgres();
    await findsDueWork();
  }

  /** Work that comes due by the clock is found: the look-up of a charge, 5 s after its call. */
  async function findsDueWork(): Promise<void> {
    const channelId = await scenario.makeChannel();
    const ids = await pay(1, 'pending:1', channelId);
    await paidOnce(ids, channelId);
    expect(await count(`transaction where channel_id = ${channelId}`)).toBe(1);
  }

  async function sweeps(table: string): Promise<void> {
    await lock(table);
    await eventually(
      'the sweep waits',
      async () => {
        const rows = await node.query<{ n: number }>(
          `select count(*)::int as n from pg_locks l join pg_stat_activity a using (pid)
            where l.relation = $1::regclass and not l.granted and a.query ilike '%delete%'`,
          [table],
        );
        return (rows[0]?.n ?? 0) > 0;
      },
      60_000,
    );
  }
}
