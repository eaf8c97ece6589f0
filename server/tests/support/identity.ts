import type { AddressInfo } from 'node:net';
import type { IdentityApp } from '../../src/domains/identity/app.ts';
import { authenticator } from '../../src/domains/identity/developer-keys/authenticate.ts';
import { expiryNotice } from '../../src/domains/identity/developer-keys/expiry-notices.ts';
import { KeyAuthenticator } from '../../src/domains/identity/developer-keys/key-authenticator.ts';
import { developerKeyRoutes } from '../../src/domains/identity/developer-keys/routes.ts';
import { userMails } from '../../src/domains/identity/mails/statements.ts';
import { UserMailComposers } from '../../src/domains/identity/mails/user-mails.ts';
import { mailWorker } from '../../src/domains/identity/mails/worker.ts';
import { LoginFailures } from '../../src/domains/identity/sessions/login-failures.ts';
import { sessionRoutes } from '../../src/domains/identity/sessions/routes.ts';
import { SessionAuthenticator } from '../../src/domains/identity/sessions/session-authenticator.ts';
import { SessionCookie } from '../../src/domains/identity/sessions/session-cookie.ts';
import { tenantRoutes } from '../../src/domains/identity/tenants/routes.ts';
import { RegisteredTenantSellers } from '../../src/domains/identity/tenants/sellers.ts';
import { ensureAdministrator } from '../../src/domains/identity/users/first-administrator.ts';
import { invitationMail } from '../../src/domains/identity/users/invitation-mail.ts';
import { ResetMailer } from '../../src/domains/identity/users/reset-mailer.ts';
import { userRoutes } from '../../src/domains/identity/users/routes.ts';
import { renewPasswordHash } from '../../src/domains/identity/users/statements.ts';
import { freshKeyring, parseKeyring } from '../../src/platform/crypto/keyring.ts';
import { Passwords } from '../../src/platform/crypto/passwords.ts';
import { Tokens } from '../../src/platform/crypto/tokens.ts';
import { FailureLimiter } from '../../src/platform/http/limits/rate-limiter.ts';
import { addRoute } from '../../src/platform/http/server/add-route.ts';
import { httpServer } from '../../src/platform/http/server/server.ts';
import type { Mail } from '../../src/platform/mail/mailer.ts';
import { Caches } from '../../src/platform/postgres/caches.ts';
import { Database } from '../../src/platform/postgres/database.ts';
import { busOn } from './postgres/bus.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from './postgres/database.ts';
import { passwordCost } from './service/password-cost.ts';

export interface Reply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any reply
  body: any;
}

export interface RequestOptions {
  body?: unknown;
  /** An access token. */
  bearer?: string;
  key?: string;
  headers?: Record<string, string>;
}

/** A node with only tenants, sessions, users and keys, over real HTTP. Nodes on one database notify each other. */
export interface IdentityNode {
  /** Where it listens: `http://127.0.0.1:PORT`. */
  address: string;
  get: (path: string, options?: RequestOptions) => Promise<Reply>;
  post: (path: string, body?: unknown, options?: RequestOptions) => Promise<Reply>;
  passwords: Passwords;
  keys: KeyAuthenticator;
  sessions: SessionAuthenticator;
  /** Resolves when every mail that was requested or queued has been sent or has failed. */
  mailed: () => Promise<void>;
  stop: () => Promise<void>;
}

export interface Identity extends IdentityNode {
  db: TestDatabase;
  /** Advances the clock of every node. */
  advance: (ms: number) => void;
  now: () => number;
  mails: Mail[];
  errors: unknown[];
  anotherNode: () => Promise<IdentityNode>;
  /** Logs in and returns the access token. */
  bearer: (account: string, password: string) => Promise<string>;
}

export const adminPassword = 'a quiet harbour';

export async function identity(
  options: { send?: (mail: Mail) => Promise<void>; idleMs?: number } = {},
): Promise<Identity> {
  const db = await databaseFromTemplate();
  const keyring = freshKeyring();
  const mails: Mail[] = [];
  const errors: unknown[] = [];
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const send =
    options.send ??
    (async (mail: Mail) => {
      mails.push(mail);
    });
  const { idleMs = 7 * 86_400_000 } = options;
  const start = () => startNode({ db, keyring, clock, send, logError: (error) => errors.push(error), idleMs });

  const first = await start();
  await ensureAdministrator({
    database: db.database,
    passwords: first.passwords,
    clock,
    account: 'admin',
    password: adminPassword,
    passwordMinLength: 6,
    dataDir: '/nonexistent',
  });
  const others: IdentityNode[] = [];
  return {
    ...first,
    db,
    mails,
    errors,
    now: clock,
    advance: (ms) => {
      aheadMs += ms;
    },
    anotherNode: async () => {
      const node = await start();
      others.push(node);
      return node;
    },
    bearer: async (account, password) => {
      const { status, body } = await first.post('/api/user/login', { account, password });
      if (status !== 200) throw new Error(`Login of ${account} was refused: ${JSON.stringify(body)}`);
      return body.data.token.accessToken;
    },
    stop: async () => {
      for (const node of [...others, first]) await node.stop();
      await db.drop();
    },
  };
}

interface NodeOptions {
  db: TestDatabase;
  keyring: string;
  clock: () => number;
  send: (mail: Mail) => Promise<void>;
  logError: (error: unknown, message: string) => void;
  idleMs: number;
}

async function startNode({ db, keyring, clock, send, logError, idleMs }: NodeOptions): Promise<IdentityNode> {
  const bus = busOn(db);
  bus.subscribe(userMails.dueWork.topic, () => userMailWorker.wake());
  const database = new Database({
    connection: db.connection,
    connections: 5,
    name: 'test node',
    onCommitted: bus.committed,
  });
  const passwords = new Passwords({ cost: passwordCost });
  const tokens = new Tokens({ keys: parseKeyring(keyring), issuer: 'florin', audience: 'florin', clock });
  const mailer = { send };
  const publicUrl = 'https://pay.example';
  const resetMailer = new ResetMailer({ database, mailer, clock, publicUrl, logError });
  const composers = new UserMailComposers();
  composers.register('INVITATION', (queued) => invitationMail(queued, { database, clock, publicUrl }));
  composers.register('KEY_EXPIRING', (queued) => expiryNotice(queued, { database, clock }));
  const userMailWorker = mailWorker({
    ...{ name: 'mails to users', queue: userMails, compose: composers.compose, database, clock, mailer, logError },
    onError: (error) => logError(error, 'mails to users'),
  });
  const failuresPerAddress = 100;
  const makeFailureLimiter = () => new FailureLimiter({ max: failuresPerAddress, windowMs: 15 * 60_000, clock });
  /** The services that these routes use. */
  const identity = {
    resetMailer,
    database,
    caches: new Caches(bus),
    passwords,
    renewPasswordHash: async (...values: [number, string, string]) =>
      (await database.run(renewPasswordHash, values)).length > 0,
    tokens,
    clock,
    logError,
    mailer,
    loginFailures: new LoginFailures({ clock, failuresPerAddress }),
    refreshFailures: makeFailureLimiter(),
    resetRequests: makeFailureLimiter(),
    resetFailures: makeFailureLimiter(),
    refusedRequests: { record: () => {} },
    stepUpMs: 600_000,
    platformSecondFactorRequired: false,
    isStrict: false,
    lifetimes: { accessTokenSeconds: 86_400, sessionSeconds: 7 * 86_400, idleMs },
    passwordMinLength: 6,
    maxKeys: 1000,
    publicUrl,
    deploymentMode: 'STANDALONE',
    tenantSellers: new RegisteredTenantSellers(),
  };
  const sessions = new SessionAuthenticator(identity);
  const keys = new KeyAuthenticator({ ...identity, onUnknown: () => {} });
  await bus.start();
  userMailWorker.start();
  const mailed = async () => {
    await resetMailer.settled();
    userMailWorker.wake();
    await eventually('no mail is due', async () => {
      const due = await db.query(`select from user_mail where state = 'OPEN' and tries = 0`);
      return due.length === 0;
    });
  };

  const authenticate = authenticator({ keys, sessions, sessionCookie: new SessionCookie(publicUrl) });
  const app = httpServer({ authenticate, onReply: () => {}, onDefect: (error) => logError(error, 'defect') });
  const routes = [...tenantRoutes, ...sessionRoutes, ...userRoutes, ...developerKeyRoutes];
  for (const route of routes) addRoute(app, route, identity as unknown as IdentityApp);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  const request = async (method: string, path: string, { body, bearer, key, headers }: RequestOptions) => {
    const reply = await fetch(base + path, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(key !== undefined && { authorization: `ApiKey ${key}` }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, headers: reply.headers, body: await reply.json() };
  };
  return {
    address: base,
    get: (path, options = {}) => request('GET', path, options),
    post: (path, body, options = {}) => request('POST', path, { ...options, body }),
    passwords,
    keys,
    sessions,
    mailed,
    stop: async () => {
      await app.close();
      await resetMailer.settled();
      await userMailWorker.stop();
      await keys.settled();
      await sessions.settled();
      await bus.stop();
      await database.close();
    },
  };
}
