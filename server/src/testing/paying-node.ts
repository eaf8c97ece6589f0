import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';
import { dataOf, makeChannel } from './cast.ts';
import { eventually } from './database.ts';
import { administratorPassword } from './florin.ts';
import { postmasterOf } from './freeze.ts';
import { type PaymentLoad, paymentOf, startPaymentLoad } from './payment-load.ts';
import { startReceiver } from './receiver.ts';
import { startService } from './service-process.ts';
import { verified } from './verified.ts';

export type PayingNode = Awaited<ReturnType<typeof payingNode>>;

/**
 * One node with its embedded database, in a process that tests kill, and a webhook that receives every payment. It records
 * which payments were acknowledged over all starts, and compares them with what the service has stored.
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
  const hook = { url: receiver.url, events: ['transaction.created'], secret: 'a shared secret' };
  dataOf(await service.post('/api/webhook/register', hook, as));
  /** All creates answered with 200 so far: payment ids by Idempotency-Key. */
  const acknowledged = new Map<string, string>();

  return {
    get service() {
      return service;
    },
    /** The administrator's Authorization header. */
    get as() {
      return as;
    },

    /** Starts the node again, with other settings if given. */
    start: async (others: Record<string, string> = {}): Promise<void> => {
      service = await startService({ environment: { ...environment, ...others } });
      as = await service.login('admin', administratorPassword);
    },

    /** Creates payments under Idempotency-Keys with a unique prefix. */
    load: (name: string): PaymentLoad => startPaymentLoad(service.address, as, channelId, name),

    /** The process to kill; undefined while none runs. */
    postmaster: (): number | undefined => postmasterOf(join(dataDir, 'postgres', 'cluster')),

    /** Queries the database of the node directly. */
    query,

    /** Runs `npm run verify` beside the service. */
    verified: () => verified(dataDir),

    expectKept,
    expectTold,

    /** The service's connections of its pools that have been used: their names and backends. */
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

  /** Every acknowledged payment is stored once, the totals are right, and there are no other payments. */
  async function expectKept(load: PaymentLoad): Promise<void> {
    for (const [key, id] of load.acknowledged) acknowledged.set(key, id);
    // An interrupted create has an unknown outcome. Repeating it with the same key results in one payment.
    for (const key of load.unknown) {
      const reply = await service.call('POST', '/api/transaction/create', {
        as,
        body: paymentOf(channelId, key),
        headers: { 'idempotency-key': key },
      });
      acknowledged.set(key, dataOf(reply).id);
    }
    const { listed, total } = await recount();
    expect(listed.size).toBe(acknowledged.size);
    expect(total).toBe(acknowledged.size);
    expect([...acknowledged].filter(([key, id]) => listed.get(id) !== key)).toEqual([]);
  }

  /** The loads' payments by paging through the list: id and description (which is the key), with the total it gives. */
  async function recount(): Promise<{ listed: Map<string, string>; total: number }> {
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

  /** The webhook receives every acknowledged payment at least once, always with the same id and body. */
  async function expectTold(): Promise<void> {
    await hurryLeases();
    const told = await eventually(
      'every payment is told',
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
    expect([...told.values()].filter((seen) => seen.size > 1)).toEqual([]);
  }

  /** Ends the leases of a killed process now instead of after 30 s, so that its work is due again. */
  async function hurryLeases(): Promise<void> {
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
}
