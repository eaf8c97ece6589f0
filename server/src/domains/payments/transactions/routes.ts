import { Type } from 'typebox';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Call, Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import type { PaymentsApp } from '../app.ts';
import { acceptanceRefusals } from '../channels/rules.ts';
import type { CreateInput } from './draft.ts';
import type { Created } from './insert-batch.ts';
import { listTransactions } from './list/list.ts';
import { detailJson, recordOf } from './record.ts';
import {
  createInput,
  detailQuery,
  listedTransaction,
  listQuery,
  transactionDetail,
  transactionRecord,
  updateInput,
} from './schema.ts';
import { updateTransaction } from './update.ts';

const { get, postOnce } = routesFor<PaymentsApp>();

export const transactionRoutes: readonly Route<PaymentsApp>[] = [
  postOnce('/api/transaction/create', 'transaction_write', 'Transactions', {
    summary: 'Create a transaction',
    events: 3,
    description:
      'Creates a payment in status PENDING. When the response arrives, the payment is on disk. A repeat with the same ' +
      '`Idempotency-Key` gets the first response again, marked `Idempotency-Replayed: true`.',
    body: createInput,
    refuses: [...acceptanceRefusals, 'invoice_not_payable', 'payment_exceeds_invoice', 'payment_method_unreadable'],
    data: transactionRecord,
    message: 'Transaction created',
    handle: createTransaction,
  }),

  postOnce('/api/transaction/update', 'transaction_write', 'Transactions', {
    summary: 'Update a transaction',
    events: 1,
    description:
      'Changes the description, the metadata or the status. Status changes follow the transition table. `metadata` is ' +
      'merged by key, `metadataReplace` replaces it as a whole.',
    body: updateInput,
    refuses: ['illegal_transition'],
    data: transactionRecord,
    message: 'Transaction updated',
    handle: ({ body, principal, idempotencyKey }, app) => updateTransaction(body, principal, app, { idempotencyKey }),
  }),

  get('/api/transaction/detail', 'transaction_read', 'Transactions', {
    summary: 'Get a transaction',
    query: detailQuery,
    data: transactionDetail,
    handle: async ({ query, principal }, app) => {
      const row = await app.reader.find(query.id, principal);
      const channel = app.channels.cached(row.channel_id) ?? (await app.channels.find(row.channel_id));
      return { json: detailJson(recordOf(row), channel?.name ?? '') };
    },
  }),

  get('/api/transaction/list', 'transaction_read', 'Transactions', {
    summary: 'List transactions',
    description: `Newest first. ${pagingOf('payments', ['currency', 'amountFrom', 'amountTo', 'metadata', 'search'], ' and limits other than UTC days')} ${exportText}`,
    query: listQuery,
    data: Type.Array(listedTransaction),
    paged: 'by_page_or_cursor',
    exportTypes,
    handle: listTransactions,
  }),
];

function createTransaction(call: Call<CreateInput>, app: PaymentsApp): Promise<Created> {
  if (app.tracing !== undefined) return createTraced(call, app);
  return app.creator.create(call.body, call.principal, call.idempotencyKey);
}

async function createTraced(call: Call<CreateInput>, app: PaymentsApp): Promise<Created> {
  const startMs = app.clock();
  const created = await app.creator.create(call.body, call.principal, call.idempotencyKey);
  if (!created.replayed) traceRequest(created.json, startMs, call, app);
  return created;
}

/** Records the request that created a payment as the root of its trace. */
function traceRequest(
  json: string,
  startMs: number,
  { principal, headers }: Call,
  { tracing, clock }: PaymentsApp,
): void {
  const { id, channelId, livemode } = JSON.parse(json) as { id: string; channelId: number; livemode: boolean };
  const endMs = clock();
  tracing?.record({
    name: 'POST /api/transaction/create',
    transactionId: id,
    kind: 'server',
    isRoot: true,
    endMs,
    durationMs: endMs - startMs,
    attributes: {
      'http.request.method': 'POST',
      'url.path': '/api/transaction/create',
      'http.response.status_code': 200,
      'florin.request_id': principal.requestId ?? '',
      'florin.transaction': id,
      'florin.tenant': principal.tenantId,
      'florin.channel': channelId,
      'florin.livemode': livemode,
    },
    traceparent: [headers.traceparent].flat()[0],
  });
}
