import { Type } from 'typebox';
import { postOnce } from '../../../platform/http/idempotency.ts';
import { pagingOf } from '../../../platform/http/list-query.ts';
import { type Call, get, type Route } from '../../../platform/http/route.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import type { Tracing } from '../../../platform/tracing/tracing.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import { acceptanceRefusals } from '../channels/rules.ts';
import type { TransactionCreator } from './create.ts';
import type { CreateInput } from './draft.ts';
import type { Created } from './insert-batch.ts';
import { listTransactions } from './list/list.ts';
import type { TransactionReader } from './read.ts';
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
import { type UpdateTransactionDeps, updateTransaction } from './update.ts';

export interface TransactionDeps extends UpdateTransactionDeps {
  database: Database;
  listDatabase: Queryable;
  creator: TransactionCreator;
  tracing: Tracing | undefined;
  reader: TransactionReader;
  /** Channel names come from this cache: PostgreSQL has one join less to plan and run on every read. */
  channels: ChannelDirectory;
}

async function createTraced(
  call: Call<CreateInput, unknown>,
  idempotencyKey: string | undefined,
  deps: TransactionDeps,
): Promise<Created> {
  const startMs = deps.clock();
  const created = await deps.creator.create(call.body, call.principal, idempotencyKey);
  if (!created.replayed) traceRequest(created.json, startMs, call, deps);
  return created;
}

/** Records the request that created a payment as the root of its trace. */
function traceRequest(
  json: string,
  startMs: number,
  { principal, headers }: Pick<Call<unknown, unknown>, 'principal' | 'headers'>,
  { tracing, clock }: Pick<TransactionDeps, 'tracing' | 'clock'>,
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

export function transactionRoutes(deps: TransactionDeps): Route[] {
  return [
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
      perform: (call, key) =>
        deps.tracing === undefined
          ? deps.creator.create(call.body, call.principal, key)
          : createTraced(call, key, deps),
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
      perform: ({ body, principal }, idempotencyKey) => updateTransaction(body, principal, deps, { idempotencyKey }),
    }),

    get('/api/transaction/detail', 'transaction_read', 'Transactions', {
      summary: 'Get a transaction',
      query: detailQuery,
      data: transactionDetail,
      handle: async ({ query, principal }) => {
        const row = await deps.reader.find(query.id, principal);
        const channel = deps.channels.cached(row.channel_id) ?? (await deps.channels.find(row.channel_id));
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
      handle: (call) => listTransactions(call, deps),
    }),
  ];
}
