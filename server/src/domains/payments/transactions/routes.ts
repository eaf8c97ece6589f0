import { Type } from 'typebox';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Call, Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import { exportText, exportTypes } from '../../../platform/lists/export.ts';
import type { IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import type { PaymentsApp } from '../app.ts';
import { acceptanceRefusals } from '../channels/rules.ts';
import { type CaptureRow, captureRecordOf, findCaptures } from './capture-record.ts';
import { createPayment } from './create.ts';
import { listTransactions } from './list/list.ts';
import { type PaymentRecord, type PaymentRow, payment } from './record.ts';
import {
  type CreateInput,
  createInput,
  detailQuery,
  listedTransaction,
  listQuery,
  transactionDetail,
  transactionRecord,
  updateInput,
} from './schema.ts';
import { findPayments } from './statements.ts';
import { updatePayment } from './update.ts';

const { get, postOnce } = routesFor<PaymentsApp>();

const uncounted = ['currency', 'amountFrom', 'amountTo', 'metadata', 'search'];

export const transactionRoutes: readonly Route<PaymentsApp>[] = [
  postOnce('/api/transaction/create', 'transaction_write', 'Transactions', {
    summary: 'Create a transaction',
    events: 3,
    description:
      'Creates a payment in status PENDING. When the response arrives, the payment is on disk. ' +
      'A repeat with the same `Idempotency-Key` gets the first response again, ' +
      'marked `Idempotency-Replayed: true`.',
    body: createInput,
    refuses: [
      ...acceptanceRefusals,
      'channel_cannot',
      'invoice_not_payable',
      'method_of_other_channel',
      'payment_exceeds_invoice',
      'payment_method_attempts_reached',
      'payment_method_unusable',
    ],
    data: transactionRecord,
    message: 'Transaction created',
    handle: createTraced,
  }),

  postOnce('/api/transaction/update', 'transaction_write', 'Transactions', {
    summary: 'Update a transaction',
    events: 1,
    description:
      'Changes the description, the metadata or the status. Status changes follow the transition table. ' +
      '`metadata` is merged by key, `metadataReplace` replaces it as a whole.',
    body: updateInput,
    refuses: ['capture_under_way', 'illegal_transition'],
    data: transactionRecord,
    message: 'Transaction updated',
    handle: ({ body, principal, idempotencyKey }, app) => updatePayment(body, principal, app, { idempotencyKey }),
  }),

  get('/api/transaction/detail', 'transaction_read', 'Transactions', {
    summary: 'Get a transaction',
    query: detailQuery,
    data: transactionDetail,
    handle: async ({ query, principal }, app) => {
      const row = await app.payments.find(query.id, principal);
      const channel = app.channels.cached(row.channel_id) ?? (await app.channels.find(row.channel_id));
      const { payment: read, captures } = await withCaptures(row, app);
      return {
        data: { ...payment.show(read), channelName: channel?.name ?? '', captures: captures.map(captureRecordOf) },
      };
    },
  }),

  get('/api/transaction/list', 'transaction_read', 'Transactions', {
    summary: 'List transactions',
    description: `Newest first. ${pagingOf('payments', uncounted, ' and limits other than UTC days')} ${exportText}`,
    query: listQuery,
    data: Type.Array(listedTransaction),
    paged: 'by_page_or_cursor',
    exportTypes,
    handle: listTransactions,
  }),
];

/**
 * A payment and its captures, as they were together. One that is captured automatically has none, and is not read
 * again.
 */
async function withCaptures(
  row: PaymentRow,
  { database }: PaymentsApp,
): Promise<{ payment: PaymentRow; captures: CaptureRow[] }> {
  if (row.capture_method === null) return { payment: row, captures: [] };
  return database.snapshot(async (snapshot) => {
    const [current] = await snapshot.run(findPayments, [[row.tenant_id], [row.id]]);
    return { payment: current ?? row, captures: await snapshot.run(findCaptures, [row.tenant_id, row.id]) };
  });
}

/** Creates a payment, and records the request as the root of its trace if there are traces. */
async function createTraced(call: Call<CreateInput>, app: PaymentsApp): Promise<IdempotentAnswer<PaymentRecord>> {
  const startMs = app.clock();
  const created = await createPayment(call, app);
  if (app.tracing !== undefined && !created.replayed) traceRequest(created.answer, startMs, call, app);
  return created;
}

function traceRequest(
  { id, channelId, livemode }: PaymentRecord,
  startMs: number,
  { principal, headers }: Call,
  { tracing, clock }: PaymentsApp,
): void {
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
