import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { request } from 'undici';
import { inject } from 'vitest';
import { readSettings } from '../../../src/app/config/settings.ts';
import { startFlorin } from '../../../src/app/florin.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { freshKeyring } from '../../../src/platform/crypto/keyring.ts';
import { type Log, openLog } from '../../../src/platform/process/log.ts';
import type { TestDatabase } from '../postgres/database.ts';
import { requireDeclared } from './declared-refusals.ts';
import { passwordCost } from './password-cost.ts';

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its expectations what the body holds
  body: any;
}

export interface TestFlorin {
  address: string;
  dataDir: string;
  /** A request, JSON in and out. `as` is the Authorization header. */
  call: (method: 'GET' | 'POST', path: string, options?: CallOptions) => Promise<Reply>;
  get: (path: string, as?: string) => Promise<Reply>;
  post: (path: string, body?: unknown, as?: string) => Promise<Reply>;
  /** The Authorization header of a fresh login. */
  login: (account: string, password: string) => Promise<string>;
  stop: () => Promise<void>;
}

/** Requests to a service, in this process or in another one. */
export type FlorinClient = Omit<TestFlorin, 'dataDir' | 'stop'>;

export interface CallOptions {
  as?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

export const administratorPassword = 'correct horse battery';

/**
 * The whole service over real HTTP, on a database of its own. Settings are written as in the environment. It logs
 * nothing, unless a log is given.
 */
export async function florinOn(
  { connection }: TestDatabase,
  environment: Record<string, string> = {},
  clock: Clock = systemClock,
  log?: Log,
): Promise<TestFlorin> {
  const dataDir = await mkdtemp(join(tmpdir(), 'florin-test-'));
  const settings = readSettings(
    {
      APP_SERVER_PORT: '0',
      APP_DATA_DIR: dataDir,
      ...databaseAddresses(connection),
      APP_DEPLOYMENT_MODE: 'STANDALONE',
      APP_ADMIN_PASSWORD: administratorPassword,
      APP_LOG_LEVEL: 'silent',
      // The receivers of tests, for endpoints that keys register too.
      APP_WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
      APP_ENCRYPTION_KEYS: encryptionKeysOf(connection),
      ...environment,
    },
    undefined,
  );
  const florin = await startFlorin(settings, log ?? openLog(settings['app.log.level']), { clock, passwordCost });
  return {
    ...clientOf(florin.address),
    dataDir,
    stop: async () => {
      await florin.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The settings with which a node uses the database: through pgbouncer if this run has one (`npm run poolers`). */
export function databaseAddresses(connection: pg.ClientConfig): Record<string, string> {
  const url = urlOf(connection);
  const pooler = inject('pooler');
  if (pooler === undefined) return { APP_DATABASE_URL: url };
  return { APP_DATABASE_URL: urlOf({ ...connection, ...pooler }), APP_DATABASE_DIRECT_URL: url };
}

/** Nodes on one database share their keys, as in a cluster: a node with others could not open the stored secrets. */
const keysOfDatabases = new WeakMap<pg.ClientConfig, string>();

function encryptionKeysOf(connection: pg.ClientConfig): string {
  const keys = keysOfDatabases.get(connection) ?? freshKeyring();
  keysOfDatabases.set(connection, keys);
  return keys;
}

/** A client of the service at an address, wherever it runs. */
export function clientOf(address: string): FlorinClient {
  const call = requestsTo(address);
  const post: FlorinClient['post'] = (path, body, as) => call('POST', path, { body, as });
  return {
    address,
    call,
    get: (path, as) => call('GET', path, { as }),
    post,
    login: async (account, password) => {
      const { status, body } = await untilTaken(() => post('/api/user/login', { account, password }));
      if (status !== 200) throw new Error(`Login of ${account} was refused: ${JSON.stringify(body)}`);
      return `Bearer ${body.data.token.accessToken}`;
    },
  };
}

/**
 * Repeats a request for as long as it is refused with 503, as any client does: a machine that runs tests is often full,
 * and has no connection to the database free.
 */
export async function untilTaken(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send();
    if (reply.status !== 503) return reply;
    await new Promise((resolve) => setTimeout(resolve, Number(reply.headers.get('retry-after')) * 1_000));
  }
}

function requestsTo(address: string): TestFlorin['call'] {
  return async (method, path, { as, body, headers = {} } = {}) => {
    // Uses undici directly: the platform's fetch, which wraps it, took a quarter of the time of thousands of requests.
    const response = await request(address + path, {
      method,
      headers: {
        ...(as !== undefined && { authorization: as }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const answer = text !== '' && isJson(response.headers['content-type']) ? JSON.parse(text) : text;
    if (response.statusCode >= 300) requireDeclared(method, path, response.statusCode, answer?.error?.type);
    return {
      status: response.statusCode,
      // Most tests do not read them.
      get headers() {
        return headersOf(response.headers);
      },
      body: answer,
    };
  };
}

const isJson = (type: unknown) => typeof type === 'string' && type.startsWith('application/json');

function headersOf(received: Record<string, string | string[] | undefined>): Headers {
  const pairs = Object.entries(received).flatMap(([name, value = []]) => [value].flat().map((one) => [name, one]));
  return new Headers(pairs as [string, string][]);
}

/** A connection as the address that `app.database.url` takes. */
export function urlOf({
  host = 'localhost',
  port = 5432,
  user = '',
  password = '',
  database = '',
}: pg.ClientConfig): string {
  const secret = typeof password === 'string' && password !== '' ? `:${encodeURIComponent(password)}` : '';
  const account = `${encodeURIComponent(user)}${secret}`;
  return `postgres://${account}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}
