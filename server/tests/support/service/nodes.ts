import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publicId, uuidGenerator } from '../../../src/core/id.ts';
import { appendEvents, type EventDraft, eventBody } from '../../../src/domains/webhooks/events/append-events.cte.ts';
import { freshKeyring } from '../../../src/platform/crypto/keyring.ts';
import { dataOf } from '../factories.ts';
import { eventually, type TestDatabase } from '../postgres/database.ts';
import { type Answering, type Received, type Receiver, startReceiver } from '../webhooks/receiver.ts';
import { administratorPassword, urlOf } from './florin.ts';
import { type ReadyService, startService } from './service-process.ts';

/** The number of deliveries with the same state and counters. */
export interface DeliveryCount {
  state: string;
  attempts: number;
  claims: number;
  count: number;
}

export type TestNodes = Awaited<ReturnType<typeof testNodes>>;

const eventsAtOnce = 500;

/**
 * Nodes of one cluster, each in its own process, on one database, with receivers for their deliveries. Call `close` at
 * the end. Endpoints and events belong to the platform's tenant.
 */
export async function testNodes(db: TestDatabase) {
  const folder = await mkdtemp(join(tmpdir(), 'florin-nodes-'));
  const keys = { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };
  const nodes = new Set<ReadyService>();
  const receivers: Receiver[] = [];
  const generateUuid = uuidGenerator(Date.now);
  let as: string | undefined;

  return {
    db,

    /** Starts a node that may deliver to receivers on this machine. */
    async start(environment: Record<string, string> = {}): Promise<ReadyService> {
      const node = await startService({
        environment: {
          PORT: '0',
          DATABASE_URL: urlOf(db.connection),
          APP_DATA_DIR: folder,
          APP_DEPLOYMENT_MODE: 'CLUSTER',
          APP_ADMIN_PASSWORD: administratorPassword,
          APP_DATABASE_CONNECTIONS: '5',
          APP_WEBHOOK_ALLOW_TARGETS: '127.0.0.1/32',
          APP_LOG_LEVEL: 'warn',
          ...keys,
          ...environment,
        },
      });
      nodes.add(node);
      const forget = () => nodes.delete(node);
      node.ended.then(forget, forget);
      return node;
    },

    async startReceiver(answering: Answering = 200): Promise<Receiver> {
      const receiver = await startReceiver(answering);
      receivers.push(receiver);
      return receiver;
    },

    /** The Authorization header of the administrator, valid on all nodes. */
    async administrator(node: ReadyService): Promise<string> {
      as ??= await node.login('admin', administratorPassword);
      return as;
    },

    /** Registers an endpoint and returns its id. */
    async registerEndpoint(
      node: ReadyService,
      url: string,
      { secret = 'our shared secret', maxInFlight }: { secret?: string; maxInFlight?: number } = {},
    ): Promise<number> {
      const administrator = await this.administrator(node);
      const hook = { url, events: ['transaction.created'], secret };
      const { id } = dataOf(await node.post('/api/webhook/register', hook, administrator));
      if (maxInFlight !== undefined) dataOf(await node.post('/api/webhook/modify', { id, maxInFlight }, administrator));
      return id;
    },

    /** Records `count` events without waking a node: the nodes find their deliveries by polling. */
    async recordEvents(count: number): Promise<void> {
      const drafts = Array.from({ length: count }, (): EventDraft => {
        const id = generateUuid();
        const createdMs = Date.now();
        const objectId = publicId('txn', id);
        const body = eventBody(
          { id, type: 'transaction.created', createdMs, livemode: true },
          { id: objectId, version: 1 },
        );
        return { tenantId: 0, id, livemode: true, type: 'transaction.created', objectId, createdMs, body };
      });
      for (let i = 0; i < count; i += eventsAtOnce) {
        const some = drafts.slice(i, i + eventsAtOnce);
        await db.database.transaction((transaction) => appendEvents(transaction, some));
      }
    },

    deliveryCounts: (): Promise<DeliveryCount[]> =>
      db.query(
        `select state, attempts, claims, count(*)::int as count from delivery group by 1, 2, 3 order by 1, 2, 3`,
      ),

    /** The number of claims of all deliveries: the upper limit of posts. */
    async claims(): Promise<number> {
      const [row] = await db.query<{ claims: number }>('select sum(claims)::int as claims from delivery');
      return row?.claims ?? 0;
    },

    /** Waits until no delivery is open. */
    async allDelivered(deadlineMs: number): Promise<void> {
      const isDone = async () => {
        const rows = await db
          .query<{ open: number }>(`select count(*)::int as open from delivery where state = 'OPEN'`)
          // The database may be unavailable for a moment.
          .catch(() => []);
        return rows[0]?.open === 0;
      };
      await eventually('every delivery has ended', isDone, deadlineMs);
    },

    /** Kills every node, including frozen ones, and closes every receiver. */
    async close(): Promise<void> {
      for (const receiver of receivers) await receiver.close();
      await Promise.all([...nodes].map((node) => node.end('SIGKILL')));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The received posts by delivery: the distinct contents, and how many there were. */
export function postsOf(received: readonly Received[]): Map<string, { forms: Set<string>; count: number }> {
  const posts = new Map<string, { forms: Set<string>; count: number }>();
  for (const { headers, path, body } of received) {
    const delivery = String(headers['x-service-delivery']);
    const post = posts.get(delivery) ?? { forms: new Set(), count: 0 };
    post.forms.add([path, headers['webhook-id'], headers['x-service-event'], body].join(' '));
    post.count++;
    posts.set(delivery, post);
  }
  return posts;
}

/** Deliveries whose posts were not all equal. */
export function changedPosts(received: readonly Received[]): string[] {
  return [...postsOf(received)].flatMap(([delivery, { forms }]) => (forms.size > 1 ? [delivery] : []));
}
