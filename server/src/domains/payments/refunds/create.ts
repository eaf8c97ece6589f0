import type { Static } from 'typebox';
import type { EventType } from '../../../core/event-types.ts';
import { uuidTimeMs } from '../../../core/id.ts';
import { metadataJson } from '../../../core/metadata.ts';
import { requireStepUp } from '../../../core/step-up.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { type Actor, appendAudit } from '../../identity/audit/append.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import { appendEvents, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import type { PaymentsApp } from '../app.ts';
import { precisionRefusal } from '../channels/amounts.ts';
import { requestRefund } from '../operation-queue/request-refund.ts';
import type { ProviderName } from '../providers/directory.ts';
import type { PaymentRow } from '../transactions/record.ts';
import type { Transition } from '../transactions/transition.cte.ts';
import { type RefundRecord, recordOf } from './record.ts';
import { refundableAmount, unclearDispute } from './rules.ts';
import type { refundInput } from './schema.ts';
import { findUnclearDispute, insertRefund, type RefundRow } from './statements.ts';

export type RefundInput = Static<typeof refundInput>;

const path = '/api/refund/create';

/**
 * Refunds a payment in full or in part. On a payment without a provider the refund is recorded as SUCCESS: the money
 * was returned outside this service. Otherwise it is PENDING until the provider's result is known.
 *
 * The amount is reserved on the locked payment (`amount_refund_held`), so that concurrent refunds never exceed the
 * payment. A check constraint holds the same limit.
 */
export async function createRefund(
  { body: input, principal: caller, idempotencyKey }: Call<RefundInput>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<RefundRecord>> {
  const principal = await actFor(caller, input.tenantId, app.database);
  const metadata = metadataJson(input.metadata);
  const found = await app.payments.find(input.transactionId, principal, 'transactionId');
  const work = async (transaction: Queryable): Promise<RefundRecord> => {
    const payment = await app.payments.lock(transaction, found);
    const [unclear] = await transaction.run(findUnclearDispute, [payment.tenant_id, payment.id]);
    if (unclear !== undefined) throw unclearDispute(unclear.dispute_id);
    const amount = refundableAmount(payment, input.amount);
    const unable = precisionRefusal(payment.provider as ProviderName | null, { amount, currency: payment.currency });
    if (unable !== undefined) throw unable;
    if (app.stepUpRefundAmount !== undefined && amount >= app.stepUpRefundAmount) {
      requireStepUp(principal, app.clock(), `A refund of ${amount}`);
    }
    return refundLocked(transaction, payment, { ...input, amount, metadata, userId: principal.userId }, principal, app);
  };
  const request = { tenantId: found.tenant_id, path, key: idempotencyKey, input, nowMs: app.clock() };
  return answerOnce(app.database, request, work);
}

/** A refund of a locked payment. */
export interface RefundOfLocked {
  /** In minor units; no more than is left to refund. */
  amount: number;
  reason?: string;
  /** As JSON. */
  metadata: string | null;
  /** The user in whose name it is created; null: Florin refunds by itself. */
  userId: number | null;
}

/** Refunds a payment that the transaction has locked. `actor`: who does it, for the audit log. */
export async function refundLocked(
  transaction: Queryable,
  payment: PaymentRow,
  input: RefundOfLocked,
  actor: Actor,
  app: Pick<PaymentsApp, 'payments' | 'generateUuid'>,
): Promise<RefundRecord> {
  const refund = await insert(transaction, payment, input, app.generateUuid());
  await appendCreatedEvents(transaction, payment, refund, app);
  if (payment.provider === null) await recordRefunded(transaction, payment, refund, app);
  else await reserveAndRequest(transaction, payment, refund, app);
  const after = recordOf(refund);
  const entry = { action: 'refund.create', tenantId: payment.tenant_id, recordId: after.id, after } as const;
  await appendAudit(transaction, actor, entry);
  return after;
}

async function insert(
  transaction: Queryable,
  payment: PaymentRow,
  { amount, reason, metadata, userId }: RefundOfLocked,
  id: string,
): Promise<RefundRow> {
  const [refund] = await transaction.run(insertRefund, [
    payment.tenant_id,
    id,
    payment.id,
    payment.channel_id,
    amount,
    payment.currency,
    payment.provider === null ? 'SUCCESS' : 'PENDING',
    reason ?? null,
    metadata,
    userId,
    uuidTimeMs(id),
  ]);
  return refund as RefundRow;
}

/** Appends `refund.created`, and `refund.succeeded` for a refund that has succeeded already. */
async function appendCreatedEvents(
  transaction: Queryable,
  { tenant_id: tenantId, livemode }: PaymentRow,
  refund: RefundRow,
  { generateUuid }: Pick<PaymentsApp, 'generateUuid'>,
): Promise<void> {
  const record = recordOf(refund);
  const types: EventType[] = refund.status === 'SUCCESS' ? ['refund.created', 'refund.succeeded'] : ['refund.created'];
  const events = types.map((type) =>
    eventDraft(type, { tenantId, livemode, objectId: record.id, object: record }, generateUuid()),
  );
  await appendEvents(transaction, events);
}

/** Moves the payment of a refund that has succeeded to REFUNDED, with its event and ledger transfer. */
async function recordRefunded(
  transaction: Queryable,
  payment: PaymentRow,
  refund: RefundRow,
  app: Pick<PaymentsApp, 'payments' | 'generateUuid'>,
): Promise<void> {
  const { amount } = refund;
  await applyToPayment(
    transaction,
    { ...reservationOf(payment, refund), to: 'REFUNDED', refundedChange: amount, writesEvent: true },
    app,
  );
}

/**
 * Reserves the amount on the payment, whose status stays, and opens the operation at the provider that took the money.
 */
async function reserveAndRequest(
  transaction: Queryable,
  payment: PaymentRow,
  refund: RefundRow,
  app: Pick<PaymentsApp, 'payments' | 'generateUuid'>,
): Promise<void> {
  await applyToPayment(transaction, reservationOf(payment, refund), app);
  await requestRefund(transaction, payment, refund, uuidTimeMs(refund.id));
}

function reservationOf(payment: PaymentRow, { id, amount }: RefundRow): Transition {
  return { row: payment, to: payment.status, atMs: uuidTimeMs(id), heldChange: amount, refundId: id };
}

async function applyToPayment(
  transaction: Queryable,
  transition: Transition,
  { payments }: Pick<PaymentsApp, 'payments'>,
): Promise<void> {
  const { id } = transition.row;
  const changed = await payments.transition(transaction, [transition]);
  if (!changed.has(id)) throw new Error(`Payment ${id} changed while it was locked.`);
}
