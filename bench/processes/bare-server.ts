/**
 * The upper limit: Fastify with the same request and response schemas and the same key check by SHA-256 in memory, but
 * without a database.
 */
import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import {
  createInput,
  detailQuery,
  transactionDetail,
  transactionRecord,
} from '@florin/server/domains/payments/transactions/schema.ts';
import Fastify, { type FastifyRequest } from 'fastify';

const [key = ''] = process.argv.slice(2);
const callers = new Map([[hash('sha256', key, 'base64'), { userId: 7 }]]);

// Our schemas have keywords of their own, as the service allows them.
const app = Fastify({ logger: false, ajv: { customOptions: { strict: false } } });

function callerOf(request: FastifyRequest): { userId: number } {
  const given = request.headers.authorization ?? '';
  const caller = callers.get(hash('sha256', given.slice(given.indexOf(' ') + 1), 'base64'));
  if (caller === undefined) throw Object.assign(new Error('Unknown key'), { statusCode: 401 });
  return caller;
}

const enveloped = (data: object) => ({
  200: {
    type: 'object',
    properties: { code: { type: 'integer' }, message: { type: 'string' }, data },
  },
});

const now = new Date().toISOString();
const record = {
  id: 'txn_0190a5b1c2d37e4f8a6b1c2d3e4f5a6b',
  livemode: true,
  amount: 1999,
  amountRefunded: 0,
  currency: 'USD',
  status: 'PENDING',
  channelId: 1,
  description: null as string | null,
  metadata: null as object | null,
  customerId: null,
  invoiceId: null,
  failureCode: null,
  failureMessage: null,
  providerReference: null,
  nextAction: null,
  version: 1,
  createdTime: now,
  updatedTime: now,
};

app.post('/api/transaction/create', {
  schema: { body: createInput, response: enveloped(transactionRecord) },
  handler: async (request) => {
    const { userId } = callerOf(request);
    return { code: 200, message: 'Transaction created', data: { ...record, ...(request.body as object), userId } };
  },
});

app.get('/api/transaction/detail', {
  schema: { querystring: detailQuery, response: enveloped(transactionDetail) },
  handler: async (request) => {
    const { userId } = callerOf(request);
    const { id } = request.query as { id: string };
    const details = { description: 'Order 1042, two items', metadata: { order: '1042', source: 'shop' } };
    return { code: 200, data: { ...record, ...details, id, userId, channelName: 'Bank transfer' } };
  },
});

process.on('disconnect', () => process.exit());
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ port: (app.server.address() as AddressInfo).port });
