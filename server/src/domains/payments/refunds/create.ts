import type { Static } from 'typebox';
import type { Clock } from '../../../core/clock.ts';
import { notFound } from '../../../core/errors.ts';
import { type DrawUuid, uuidTimeMs } from '../../../core/id.ts';
import { metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import type { Database, Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce } from '../../../platform/postgres/idempotency-records.ts';
import type { TransactionReader } from '../transactions/read.ts';
import { lockOne, type TransactionRow } from '../transactions/statements.ts';
import type { Transition } from '../transactions/transition.cte.ts';
import type { PaymentTransitions } from '../transactions/transitions.ts';
import { type RefundRecord, recordOf } from './record.ts';
import { refundableAmount } from './rules.ts';
import type { refundInput } from './schema.ts';
import { insertRefund, type RefundRow } from './statements.ts';

type RefundInput = Static<typeof refundInput>;

export interface CreateRefundDeps {
  database: Database;
  reader: TransactionReader;
  transitions: PaymentTransitions;
  drawUuid: DrawUuid;
  clock: Clock;
  /** Asks the provider that took the money to give some back, in the transaction that holds the payment's lock. */
  askToRefund: (transaction: Queryable, payment: TransactionRow, refund: RefundRow, nowMs: number) => Promise<void>;
}

const path = '/api/refund/create';

/** The refund as it was created, and whether it is an earlier answer given again. */
export interface CreatedRefund {
  record: RefundRecord;
  replayed: boolean;
}

/**
 * Gives money of a payment back. On a payment without a provider that has happened already and is recorded as SUCCESS; else
 * the provider is asked, and the refund is PENDING until it says. What is asked for is held on the payment from here on, under
 * its lock, so that the sum of refunds never exceeds it, whoever refunds at the same time. A constraint holds it as well.
 */
export async function createRefund(
  input: RefundInput,
  principal: Principal,
  deps: CreateRefundDeps,
  idempotencyKey?: string,
): Promise<CreatedRefund> {
  const metadata = metadataJson(input.metadata);
  const { tenant_id, id } = await deps.reader.find(input.transactionId, principal, 'transactionId');
  const work = async (transaction: Queryable): Promise<RefundRecord> => {
    const [payment] = await transaction.run(lockOne, [tenant_id, id]);
    if (payment === undefined) throw notFound('transaction', input.transactionId, 'transactionId');
    const amount = refundableAmount(payment, input.amount);
    const refund = await insert(transaction, payment, { ...input, amount, metadata }, principal, deps.drawUuid());
    await apply(transaction, payment, refund, deps);
    return recordOf(refund);
  };
  const request = { tenantId: tenant_id, path, key: idempotencyKey, input, nowMs: deps.clock() };
  const { answer, replayed } = await answerOnce(deps.database, request, work);
  return { record: answer, replayed };
}

async function insert(
  transaction: Queryable,
  payment: TransactionRow,
  { amount, reason, metadata }: { amount: number; reason?: string; metadata: string | null },
  { userId }: Principal,
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

/** What the refund does to its payment. */
async function apply(
  transaction: Queryable,
  payment: TransactionRow,
  refund: RefundRow,
  { askToRefund, transitions, drawUuid }: CreateRefundDeps,
): Promise<void> {
  const { amount } = refund;
  const atMs = uuidTimeMs(refund.id);
  const held = { row: payment, atMs, held: amount, refundId: refund.id };
  const isDone = refund.status === 'SUCCESS';
  const move: Transition = isDone
    ? { ...held, to: 'REFUNDED', refunded: amount, news: true }
    : { ...held, to: payment.status };
  const moved = await transitions.apply(transaction, [move], drawUuid);
  if (!moved.has(payment.id)) throw new Error(`Payment ${payment.id} moved while it was locked.`);
  if (!isDone) await askToRefund(transaction, payment, refund, atMs);
}
