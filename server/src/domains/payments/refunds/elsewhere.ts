import type { GenerateUuid } from '../../../core/id.ts';
import { uuidTimeMs } from '../../../core/id.ts';
import type { Transaction } from '../../../platform/postgres/database.ts';
import { appendEvents, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import type { ProviderRefund } from '../providers/dispute.ts';
import { failure } from '../providers/failures.ts';
import { changeElsewhereAmount } from '../transactions/dispute-statements.ts';
import type { Payments } from '../transactions/payments.ts';
import type { PaymentRow } from '../transactions/record.ts';
import type { Transition } from '../transactions/transition.cte.ts';
import { recordOf, refundAfterOutcome } from './record.ts';
import { endElsewhere, findElsewhere, insertElsewhere, type RefundRow } from './statements.ts';

interface ElsewhereDeps {
  payments: Pick<Payments, 'lock' | 'transition'>;
  clock: () => number;
  generateUuid: GenerateUuid;
}

/**
 * Records a refund that was made elsewhere, or what has become of it, on a locked payment that has succeeded. It is
 * known by the provider's id. It may take more than was left, because the provider has done so. Returns whether
 * anything has changed.
 */
export async function recordElsewhere(
  transaction: Transaction,
  payment: PaymentRow,
  told: ProviderRefund,
  channelId: number,
  deps: ElsewhereDeps,
): Promise<boolean> {
  const [known] = await transaction.run(findElsewhere, [payment.tenant_id, payment.id, told.reference]);
  if (known === undefined) {
    if (told.status === 'FAILED') return false;
    await begin(transaction, payment, told, channelId, deps);
    return true;
  }
  const isEnded = known.status === 'FAILED' || known.status === 'CANCELLED';
  if (isEnded || known.status === told.status || (known.status === 'SUCCESS' && told.status !== 'FAILED')) return false;
  await end(transaction, payment, known, told.status, channelId, deps);
  return true;
}

async function begin(
  transaction: Transaction,
  payment: PaymentRow,
  { reference, amount, currency, status }: ProviderRefund,
  channelId: number,
  deps: ElsewhereDeps,
): Promise<void> {
  const id = deps.generateUuid();
  const { tenant_id, channel_id, livemode } = payment;
  const values = [tenant_id, id, payment.id, channel_id, amount, currency, status, reference, uuidTimeMs(id)];
  const [refund] = (await transaction.run(insertElsewhere, values)) as [RefundRow];
  const record = recordOf(refund);
  const subject = { tenantId: tenant_id, livemode, objectId: record.id, object: record };
  await appendEvents(transaction, [eventDraft('refund.created', subject, deps.generateUuid())]);
  await transaction.run(changeElsewhereAmount, [tenant_id, payment.id, amount]);
  const reservation: Transition = {
    row: payment,
    to: payment.status,
    atMs: uuidTimeMs(id),
    heldChange: amount,
    refundId: id,
  };
  await apply(
    transaction,
    status === 'SUCCESS' ? { ...reservation, ...success(refund, amount, channelId, uuidTimeMs(id)) } : reservation,
    deps,
  );
}

async function end(
  transaction: Transaction,
  payment: PaymentRow,
  refund: RefundRow,
  status: ProviderRefund['status'],
  channelId: number,
  deps: ElsewhereDeps,
): Promise<void> {
  const atMs = deps.clock();
  const { tenant_id, id, amount } = refund;
  const reason = status === 'FAILED' ? failure('refund_refused') : null;
  const hadSucceeded = refund.status === 'SUCCESS';
  const facts = [reason?.code ?? null, reason?.message ?? null, hadSucceeded, atMs];
  await transaction.run(endElsewhere, [tenant_id, id, status, ...facts]);
  if (status === 'SUCCESS') {
    const transition = { row: payment, refundId: id, atMs, ...success(refund, amount, channelId, atMs) };
    return apply(transaction, transition, deps);
  }
  const isStillRefunded = payment.amount_refunded > (hadSucceeded ? amount : 0);
  const object = refundAfterOutcome(refund, { status: 'FAILED', failure: reason }, atMs);
  await apply(
    transaction,
    {
      row: payment,
      to: hadSucceeded && !isStillRefunded ? 'SUCCESS' : payment.status,
      atMs,
      refundId: id,
      heldChange: -amount,
      ...(hadSucceeded && { refundedChange: -amount, channelId }),
      refundEvent: { type: 'refund.failed', object },
    },
    deps,
  );
  await transaction.run(changeElsewhereAmount, [tenant_id, payment.id, -amount]);
}

function success(refund: RefundRow, amount: number, channelId: number, atMs: number) {
  const object = refundAfterOutcome(refund, { status: 'SUCCESS', failure: null }, atMs);
  return {
    to: 'REFUNDED',
    refundedChange: amount,
    channelId,
    writesEvent: true,
    refundEvent: { type: 'refund.succeeded', object },
  } as const;
}

async function apply(transaction: Transaction, transition: Transition, { payments }: ElsewhereDeps): Promise<void> {
  const changed = await payments.transition(transaction, [transition]);
  if (!changed.has(transition.row.id)) throw new Error(`Payment ${transition.row.id} changed while it was locked.`);
}
