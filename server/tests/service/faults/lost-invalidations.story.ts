import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { assemble, type Context } from '../../../src/app/assemble.ts';
import { readSettings } from '../../../src/app/config/settings.ts';
import { prepareServer } from '../../../src/app/http/serve.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { freshKeyring, parseKeyring } from '../../../src/platform/crypto/keyring.ts';
import { Lifecycle } from '../../../src/platform/process/lifecycle.ts';
import { openLog } from '../../../src/platform/process/log.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  makeChannel,
  makeKey,
  makeMember,
  makeTenant,
} from '../../support/factories.ts';
import { type CutLine, startCutLine } from '../../support/faults/cut-line.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../support/postgres/database.ts';
import { clientOf, type FlorinClient, florinOn, type Reply, type TestFlorin } from '../../support/service/florin.ts';

/**
 * A node dies after any statement of a request that changes what other nodes have cached. The others must read again
 * whatever was committed, without anything further from that node.
 */
let db: TestDatabase;
let line: CutLine;
/** The node that dies, as far as PostgreSQL and the others can tell. */
let dying: FlorinClient;
/** Makes the records. */
let healthy: TestFlorin;
/** The caches of another node. */
let other: Context;
let lifecycle: Lifecycle;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  line = await startCutLine(db.connection);
  const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };
  healthy = await florinOn(db, keys);
  admin = await administratorOf(healthy);
  lifecycle = new Lifecycle(() => {});
  const keyrings = { jwtKeys: parseKeyring(keys.APP_JWT_KEYS), encryptionKeys: parseKeyring(keys.APP_ENCRYPTION_KEYS) };
  const settings = readSettings({ APP_SERVER_PORT: '0' }, undefined);
  const nodeOn = (connection: TestDatabase['connection']) =>
    assemble({ connection, direct: connection, isOursAlone: false }, keyrings, {
      settings,
      log: openLog('silent'),
      clock: systemClock,
      lifecycle,
    });
  // Its notifications are not started: after each cut they would send statements of their own.
  dying = clientOf(await (await prepareServer(nodeOn(line.connection)))());
  other = nodeOn(db.connection);
  await other.bus.start();
});

afterAll(async () => {
  await lifecycle.stop();
  await healthy.stop();
  await line.close();
  await db.drop();
});

/** A change of a cached record, and what the other node knows of it before and after. */
interface Change {
  request: (at: FlorinClient) => Promise<Reply>;
  /** From the cache of the other node. */
  known: () => Promise<unknown>;
  /** From the database. */
  stored: () => Promise<unknown>;
}

const oneOf = async (sql: string, values: unknown[]) => Object.values((await db.query(sql, values))[0] ?? {})[0];
const isAdmitted = (caller: Promise<unknown>) =>
  caller.then(
    () => true,
    () => false,
  );
const isKeyAdmitted = (sk: string) => isAdmitted(other.keys.authenticate(sk, '127.0.0.1'));
const isSessionAdmitted = (as: string) =>
  isAdmitted(other.sessions.authenticate(as.replace('Bearer ', ''), '127.0.0.1'));

async function endpoint(): Promise<number> {
  const input = { url: `${healthy.address}/received`, events: ['*'], secret: 'a secret of some length' };
  return dataOf(await healthy.post('/api/webhook/register', input, admin)).id;
}

async function endpointChange(path: string, change: object): Promise<Change> {
  const id = await endpoint();
  return {
    request: (at) => at.post(path, { id, ...change }, admin),
    known: async () => {
      const { state, path: urlPath, keys } = (await other.endpoints.find(id)) ?? {};
      return [state, urlPath, keys?.next !== undefined];
    },
    stored: async () => {
      const columns = 'state, url, next_secret_sealed is not null as is_staged';
      const [row] = await db.query<{ state: boolean; url: string; is_staged: boolean }>(
        `select ${columns} from webhook_endpoint where id = $1`,
        [id],
      );
      return [row?.state, new URL(row?.url ?? '').pathname, row?.is_staged];
    },
  };
}

const changes: Record<string, () => Promise<Change>> = {
  'a channel is switched off': async () => {
    const id = await makeChannel(healthy, admin);
    return {
      request: (at) => at.post('/api/channel/modify', channelInput({ id, state: false }), admin),
      known: async () => (await other.channels.find(id))?.state,
      stored: () => oneOf('select state from channel where id = $1', [id]),
    };
  },
  'a webhook is switched off': () => endpointChange('/api/webhook/modify', { state: false }),
  'a webhook gets another URL': () => endpointChange('/api/webhook/modify', { url: `${healthy.address}/elsewhere` }),
  'a webhook gets a next secret': () =>
    endpointChange('/api/webhook/rotate', { secret: 'another secret of some length' }),
  'a webhook is removed': () => endpointChange('/api/webhook/remove', {}),
  'a key is revoked': async () => {
    const { id, sk } = await makeKey(healthy, admin);
    return {
      request: (at) => at.post('/api/developer/mine/revoke', { id }, admin),
      known: () => isKeyAdmitted(sk),
      stored: async () => (await oneOf('select state from developer_key where id = $1', [id])) === 1,
    };
  },
  'a session ends': async () => {
    const session = await administratorOf(healthy);
    const { sid } = JSON.parse(Buffer.from(session.split('.')[1] ?? '', 'base64url').toString());
    return {
      request: (at) => at.post('/api/user/logout', undefined, session),
      known: () => isSessionAdmitted(session),
      stored: async () => (await oneOf('select ended_at from session where id = $1', [sid])) === null,
    };
  },
  'a user is disabled': async () => {
    const { id, as } = await makeMember(healthy, admin, { userType: 'PLATFORM_ADMIN' });
    return {
      request: (at) => at.post('/api/user/modify', { id, state: false }, admin),
      known: () => isSessionAdmitted(as),
      stored: () => oneOf('select state from app_user where id = $1', [id]),
    };
  },
  'a tenant is disabled': async () => {
    const id = await makeTenant(healthy, admin);
    const { as } = await makeMember(healthy, admin, { userType: 'MERCHANT_ADMIN', tenantId: id });
    return {
      request: (at) => at.post('/api/tenant/modify', { id, state: false }, admin),
      known: () => isSessionAdmitted(as),
      stored: () => oneOf('select state from tenant where id = $1', [id]),
    };
  },
};

let arrived: string[];
/** All notifications that were sent before have arrived at the other node when this resolves. */
async function untilNotified(): Promise<void> {
  const marker = String(performance.now());
  await db.query('select pg_notify($1, $2)', ['florin', `marker:${marker}`]);
  await eventually('the marker arrives', () => arrived.includes(marker));
}

beforeAll(() => other.bus.onChange('marker', { changed: (key) => arrived.push(key) }));
beforeEach(() => {
  arrived = [];
});
afterEach(() => line.spare());

test.each(Object.keys(changes))(
  '%s: a node that dies after any statement leaves nothing stale on another',
  async (name) => {
    const outcomes: string[] = [];
    for (let statements = 1; outcomes.at(-1) !== 'answered'; statements++) {
      const change = await (changes[name] as () => Promise<Change>)();
      // What made the record has been announced: from here on the other node drops only what the change invalidates.
      await untilNotified();
      const before = await change.known();
      expect(before).toEqual(await change.stored());
      await eventually('the node works', async () => (await dying.get('/api/user/info', admin)).status === 200);
      line.cutAfter(statements, 'main');
      const { status } = await change.request(dying);
      const isAnswered = line.spare() && status === 200;
      await untilNotified();
      const stored = await change.stored();
      expect(await change.known()).toEqual(stored);
      const isDone = JSON.stringify(stored) !== JSON.stringify(before);
      outcomes.push(isAnswered ? 'answered' : isDone ? 'committed' : 'nothing');
    }
    // Otherwise no cut came between the commit and its answer.
    expect(new Set(outcomes)).toEqual(new Set(['nothing', 'committed', 'answered']));
  },
  60_000,
);
