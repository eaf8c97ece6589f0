/**
 * What a create takes at least with our batches: Fastify with the same shape and key check, and the service's own
 * batches, statements and events, on the service's database; nothing else of the service.
 */
import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { uuidGenerator } from '@florin/server/core/id.ts';
import type { Principal } from '@florin/server/core/principal.ts';
import { findChannel } from '@florin/server/domains/payments/channels/statements.ts';
import { BatchInserter, type Outcome } from '@florin/server/domains/payments/transactions/insert-batch.ts';
import { newPayment, type PaymentRecord } from '@florin/server/domains/payments/transactions/record.ts';
import { type CreateInput, createInput } from '@florin/server/domains/payments/transactions/schema.ts';
import { type NewPayment, withCreatedEvent } from '@florin/server/domains/payments/transactions/statements.ts';
import { FanOut } from '@florin/server/domains/webhooks/events/fan-out.ts';
import { Batcher } from '@florin/server/platform/postgres/batcher.ts';
import { Database } from '@florin/server/platform/postgres/database.ts';
import Fastify from 'fastify';

const [key = '', connectionJson = '', caller = '', channelId = ''] = process.argv.slice(2);
const connection = JSON.parse(connectionJson);
const callers = new Map([[hash('sha256', key, 'base64'), JSON.parse(caller) as Principal]]);
const database = new Database({ connection, connections: 1, name: 'bench' });
const writer = new Database({ connection, connections: 1, name: 'bench writer', plans: 'kept' });
const inserter = new BatchInserter({ writer, database, fanOut: new FanOut(), onInserted: () => {} });
const batcher = new Batcher<NewPayment, Outcome>({
  run: (payments) => inserter.insert(payments),
  maxBatch: 500,
  maxQueued: 10_000,
});
const generateUuid = uuidGenerator(Date.now);
const [channel] = await database.run(findChannel, [Number(channelId)]);
if (channel === undefined) throw new Error(`There is no channel ${channelId}.`);
const seal = () => {
  throw new Error('These payments have no payment method.');
};

// Our schemas have keywords of their own, as the service allows them.
const app = Fastify({ logger: false, ajv: { customOptions: { strict: false } } });

app.post('/api/transaction/create', {
  schema: { body: createInput },
  handler: (request, reply) => {
    const given = request.headers.authorization ?? '';
    const principal = callers.get(hash('sha256', given.slice(given.indexOf(' ') + 1), 'base64'));
    if (principal === undefined) throw Object.assign(new Error('Unknown key'), { statusCode: 401 });
    const row = newPayment(request.body as CreateInput, channel, principal, generateUuid(), seal);
    const payment = { ...withCreatedEvent(row), background: false, idempotencyKey: null, requestHash: null };
    batcher.add(payment).then(
      (outcome) => {
        reply.header('content-type', 'application/json; charset=utf-8');
        const { answer: data } = outcome as { answer: PaymentRecord };
        reply.send(JSON.stringify({ code: 200, message: 'Transaction created', data }));
      },
      (error) => reply.send(error),
    );
  },
});

process.on('disconnect', () => process.exit());
await app.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ port: (app.server.address() as AddressInfo).port });
