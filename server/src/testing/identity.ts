import type { AddressInfo } from 'node:net';
import { authenticator } from '../domains/identity/developer-keys/authenticate.ts';
import { DeveloperKeys } from '../domains/identity/developer-keys/keys.ts';
import { developerKeyRoutes } from '../domains/identity/developer-keys/routes.ts';
import { tenantRoutes } from '../domains/identity/tenants/routes.ts';
import type { UserDeps } from '../domains/identity/users/deps.ts';
import { ensureAdministrator } from '../domains/identity/users/first-administrator.ts';
import { ForgottenPasswords } from '../domains/identity/users/forgot-password.ts';
import { LoginFailures } from '../domains/identity/users/login-failures.ts';
import { userRoutes } from '../domains/identity/users/routes.ts';
import { Sessions } from '../domains/identity/users/sessions.ts';
import { freshKeyring, parseKeyring } from '../platform/crypto/keyring.ts';
import { Passwords } from '../platform/crypto/passwords.ts';
import { Tokens } from '../platform/crypto/tokens.ts';
import { addRoute, httpServer } from '../platform/http/server.ts';
import type { Mail } from '../platform/mail/mailer.ts';
import { Notifications } from '../platform/postgres/notifications.ts';
import { databaseFromTemplate, type TestDatabase } from './database.ts';
import { passwordCost } from './password-cost.ts';

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

/** A node of tenants, users and keys alone, over real HTTP; two on one database hear each other. */
export interface IdentityNode {
  get: (path: string, options?: RequestOptions) => Promise<Reply>;
  post: (path: string, body?: unknown, options?: RequestOptions) => Promise<Reply>;
  passwords: Passwords;
  keys: DeveloperKeys;
  sessions: Sessions;
  forgottenPasswords: ForgottenPasswords;
  notifications: Notifications;
  stop: () => Promise<void>;
}

export interface Identity extends IdentityNode {
  db: TestDatabase;
  /** Moves the clock of every node. */
  advance: (ms: number) => void;
  now: () => number;
  mails: Mail[];
  errors: unknown[];
  anotherNode: () => Promise<IdentityNode>;
  /** Logs in and gives the access token. */
  bearer: (account: string, password: string) => Promise<string>;
}

export const adminPassword = 'a quiet harbour';

export async function identity(options: { send?: (mail: Mail) => Promise<void> } = {}): Promise<Identity> {
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
  const start = () => startNode({ db, keyring, clock, send, logError: (error) => errors.push(error) });

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
  logError: UserDeps['logError'];
}

async function startNode({ db, keyring, clock, send, logError }: NodeOptions): Promise<IdentityNode> {
  const { database } = db;
  const notifications = new Notifications(db.connection, () => {});
  const passwords = new Passwords({ cost: passwordCost });
  const tokens = new Tokens({ keys: parseKeyring(keyring), issuer: 'florin', audience: 'florin', clock });
  const deps: UserDeps = {
    database,
    notifications,
    passwords,
    tokens,
    clock,
    logError,
    mailer: { send },
    failures: new LoginFailures({ clock }),
    settings: {
      accessTokenSeconds: 86_400,
      refreshTokenSeconds: 7 * 86_400,
      passwordMinLength: 6,
      publicUrl: 'https://pay.example',
      deploymentMode: 'STANDALONE',
    },
  };
  const sessions = new Sessions({ database, notifications, tokens, clock });
  const keys = new DeveloperKeys({ database, notifications, clock, logError });
  const forgottenPasswords = new ForgottenPasswords(deps);
  await notifications.start();

  const authenticate = authenticator({ keys, sessions });
  const app = httpServer({ authenticate, onReply: () => {}, onDefect: (error) => logError(error, 'defect') });
  const routes = [...tenantRoutes(deps), ...userRoutes({ ...deps, forgottenPasswords }), ...developerKeyRoutes(deps)];
  for (const route of routes) addRoute(app, route, { authenticate });
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
    get: (path, options = {}) => request('GET', path, options),
    post: (path, body, options = {}) => request('POST', path, { ...options, body }),
    passwords,
    keys,
    sessions,
    forgottenPasswords,
    notifications,
    stop: async () => {
      await app.close();
      await forgottenPasswords.settled();
      await keys.settled();
      await notifications.stop();
    },
  };
}
