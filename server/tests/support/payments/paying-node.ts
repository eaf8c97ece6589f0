import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { dataOf, makeChannel } from '../factories.ts';
import { postmasterOf } from '../faults/freeze.ts';
import { eventually } from '../postgres/database.ts';
import { administratorPassword } from '../service/florin.ts';
import { startService } from '../service/service-process.ts';
import { verified } from '../service/verified.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { type PaymentLoad, paymentRequest, startPaymentLoad } from './payment-load.ts';

export type PayingNode = Awaited<ReturnType<typeof payingNode>>;

/**
 * A service process with its embedded database, which tests kill and start again, and a webhook receiver. Records which
 * payments were acknowledged over all starts, and compares the service and the deliveries with them.
 */
export async function payingNode(settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'florin-crash-'));
  const environment = {
    PORT: '0',
    APP_DATA_DIR: dataDir,
    APP_ADMIN_PASSWORD: administratorPassword,
    APP_WEBHOOK_RETRY_INTERVALS: '1s,1s,1s',
    ...settings,
  };
  const receiver = await startReceiver();
  let service = await startService({ environment });
  let as = await service.login('admin', administratorPassword);
  const channelId = await makeChannel(service, as);
  const hook = { url: receiver.url, events: ['transaction.created'], secret: 'our shared secret' };
  dataOf(await service.post('/api/webhook/register', hook, as));
  /** Payments acknowledged by all loads so far: id by Idempotency-Key. */
  const acknowledged = new Map<string, string>();

  return {
    get service() {
      return service;
    },
    /** The administrator's Authorization header. */
    get as() {
      return as;
    },

    /** Starts the process again, with further settings. */
    start: async (changes: Record<string, string> = {}): Promise<void> => {
      service = await startService({ environment: { ...environment, ...changes } });
      as = await service.login('admin', administratorPassword);
    },

    /** Stops the process, and its database with it. */
    end: () => service.end('SIGTERM'),

    /** Starts to create payments under keys with this prefix, which must be unique. */
    load: (name: string): PaymentLoad => startPaymentLoad(service.address, as, channelId, name),

    /** The process id of PostgreSQL; undefined while it does not run. */
    postmaster: (): number | undefined => postmasterOf(join(dataDir, 'postgres', 'cluster')),

    /** Queries the node's database directly. */
    query,

    /** A connection of its own to the node's database. A kill of PostgreSQL breaks it. */
    connect,

    /** Where its files are. */
    dataDir,

    /** Runs `npm run verify`. */
    verified: () => verified(dataDir),

    expectAcknowledgedPayments,
    expectDeliveries,

    /** The open connections of the service's pools: application name and backend pid. */
    connections: async (): Promise<string[]> => {
      const { rows } = await withClient((client) =>
        client.query<{ name: string }>(
          `select concat(application_name, ' ', pid) as name from pg_stat_activity
            where application_name in ('florin main', 'florin writer', 'florin worker')`,
        ),
      );
      return rows.map(({ name }) => name);
    },

    close: async (): Promise<void> => {
      await service.end('SIGTERM');
      await receiver.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };

  /** Every acknowledged payment exists once, no other payment exists, and the totals are right. */
  async function expectAcknowledgedPayments(load: PaymentLoad): Promise<void> {
    for (const [key, id] of load.acknowledged) acknowledged.set(key, id);
    // Requests that were cut off have an unknown outcome: a repeat with the same key gets one payment.
    for (const key of load.unknown) {
      const reply = await service.call('POST', '/api/transaction/create', {
        as,
        body: paymentRequest(channelId, key),
        headers: { 'idempotency-key': key },
      });
      acknowledged.set(key, dataOf(reply).id);
    }
    const { listed, total } = await listPayments();
    expect(listed.size).toBe(acknowledged.size);
    expect(total).toBe(acknowledged.size);
    expect([...acknowledged].filter(([key, id]) => listed.get(id) !== key)).toEqual([]);
  }

  /** All payments of the loads, read page by page: description (the key) by id, and the total of the list. */
  async function listPayments(): Promise<{ listed: Map<string, string>; total: number }> {
    const listed = new Map<string, string>();
    let rows = 0;
    for (let page = 1; ; page++) {
      const { body } = await service.get(`/api/transaction/list?pageSize=100&page=${page}&channelId=${channelId}`, as);
      for (const { id, description } of body.data) listed.set(id, description);
      rows += body.data.length;
      if (page < body.pagination.totalPages) continue;
      expect(listed.size).toBe(rows);
      return { listed, total: body.pagination.total };
    }
  }

  /** Every acknowledged payment is delivered at least once, always with the same delivery id and body. */
  async function expectDeliveries(): Promise<void> {
    await expireDeliveryLeases();
    const delivered = await eventually(
      'every payment is delivered',
      () => {
        const deliveries = new Map<string, Set<string>>();
        for (const { headers, body } of receiver.received) {
          const { id } = JSON.parse(body.toString()).data.object;
          deliveries.set(id, (deliveries.get(id) ?? new Set()).add(`${headers['x-service-delivery']} ${body}`));
        }
        return [...acknowledged.values()].every((id) => deliveries.has(id)) && deliveries;
      },
      20_000,
    );
    expect([...delivered.values()].filter((distinct) => distinct.size > 1)).toEqual([]);
  }

  /** Deliveries leased by a killed process are due after 30 s; this makes them due now. */
  async function expireDeliveryLeases(): Promise<void> {
    await query('update delivery set leased_until = now() where leased_until > now() and lease is not null');
  }

  function query<Row>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return withClient(async (client) => (await client.query(sql, values)).rows);
  }

  async function withClient<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
    const client = new pg.Client({ host: join(dataDir, 'postgres', 'socket'), user: 'florin', database: 'florin' });
    try {
      await client.connect();
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ host: join(dataDir, 'postgres', 'socket'), user: 'florin', database: 'florin' });
    client.on('error', () => {});
    await client.connect();
    return client;
  }
}
