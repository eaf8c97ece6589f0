/**
 * The usual design: each request runs BEGIN, three statements and COMMIT on a pooled connection. It has the service's
 * tables and indexes, and the schemas and key check of the bare server.
 */
import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { publicId, uuidGenerator } from '@florin/server/core/id.ts';
import { createInput, transactionRecord } from '@florin/server/domains/payments/transactions/schema.ts';
import Fastify from 'fastify';
import pg from 'pg';

const [key = '', connection = '{}', connections = '16'] = process.argv.slice(2);
const callers = new Map([[hash('sha256', key, 'base64'), { tenantId: 1, userId: 7 }]]);
const pool = new pg.Pool({ ...JSON.parse(connection), max: Number(connections), idleTimeoutMillis: 200 });
const nextUuid = uuidGenerator(Date.now);

// Our schemas have keywords of their own, as the service allows them.
const app = Fastify({ logger: false, ajv: { customOptions: { strict: false } } });

/**
 * Spreads writes over this many rows, more than real systems have, so that no request waits for the lock of another.
 */
const statisticsSlots = 64;

const insertTransaction = {
  name: 'transaction',
  text: `insert into transaction (tenant_id, id, amount, currency, status, channel_id, user_id, description, metadata,
                                  created_at, updated_at)
         values ($1, $2, $3, $4, 'PENDING', $5, $6, $7, $8, $9, $9)`,
};
const insertEvent = {
  name: 'event',
  text: `insert into event (tenant_id, id, type, object_id, created_at, body)
         values ($1, $2, 'transaction.created', $3, $4, $5)`,
};
const addToStatistics = {
  name: 'statistics',
  text: `insert into transaction_total as total (tenant_id, channel_id, user_id, status, day, currency, count, amount)
         values ($1, $2, $3, 'PENDING', $4, $5, 1, $6)
         on conflict (tenant_id, livemode, channel_id, user_id, status, day, currency)
         do update set count = total.count + 1, amount = total.amount + excluded.amount`,
};

interface Body {
  amount: number;
  currency: string;
  channelId: number;
  description?: string;
  metadata?: object;
}

app.post('/api/transaction/create', {
  schema: {
    body: createInput,
    response: {
      200: {
        type: 'object',
        properties: { code: { type: 'integer' }, message: { type: 'string' }, data: transactionRecord },
      },
    },
  },
  handler: async (request) => {
    const given = request.headers.authorization ?? '';
    const caller = callers.get(hash('sha256', given.slice(given.indexOf(' ') + 1), 'base64'));
    if (caller === undefined) throw Object.assign(new Error('Unknown key'), { statusCode: 401 });
    const data = recordOf(request.body as Body, caller.userId);
    await write(data, caller.tenantId);
    return { code: 200, message: 'Transaction created', data: { ...data, id: publicId('txn', data.id) } };
  },
});

function recordOf({ amount, currency, channelId, description = '', metadata = {} }: Body, userId: number) {
  const createdTime = new Date().toISOString();
  return {
    id: nextUuid(),
    amount,
    livemode: true,
    amountRefunded: 0,
    currency,
    status: 'PENDING',
    channelId,
    description,
    metadata,
    customerId: null,
    invoiceId: null,
    userId,
    failureCode: null,
    failureMessage: null,
    providerReference: null,
    nextAction: null,
    version: 1,
    createdTime,
    updatedTime: createdTime,
  };
}

async function write(data: ReturnType<typeof recordOf>, tenantId: number): Promise<void> {
  const { id, amount, currency, channelId, userId, description, metadata, createdTime } = data;
  const body = JSON.stringify({ id: publicId('evt', id), type: 'transaction.created', data: { object: data } });
  const slot = 1 + Math.floor(Math.random() * statisticsSlots);
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query({
      ...insertTransaction,
      values: [tenantId, id, amount, currency, channelId, userId, description, metadata, createdTime],
    });
    await client.query({ ...insertEvent, values: [tenantId, id, publicId('txn', id), createdTime, body] });
    await client.query({
      ...addToStatistics,
      values: [tenantId, channelId, slot, createdTime.slice(0, 10), currency, amount],
    });
    await client.query('commit');
  } finally {
    client.release();
  }
}

process.on('disconnect', () => process.exit());
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ port: (app.server.address() as AddressInfo).port });
