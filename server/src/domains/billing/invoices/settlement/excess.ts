import type { Clock } from '../../../../core/clock.ts';
import { type GenerateUuid, publicId } from '../../../../core/id.ts';
import { afterCommit, type Queryable } from '../../../../platform/postgres/database.ts';
import type { Log } from '../../../../platform/process/log.ts';
import { systemActor } from '../../../identity/audit/append.ts';
import { releaseHold } from '../../../payments/captures/release-hold.ts';
import { bookUnapplied } from '../../../payments/ledger/unapplied-statements.ts';
import { chargeOf, isAtItsProvider } from '../../../payments/operation-queue/request-refund.ts';
import { findUnderWay } from '../../../payments/operation-queue/statements.ts';
import { refundLocked } from '../../../payments/refunds/create.ts';
import { leftToRefund } from '../../../payments/refunds/rules.ts';
import { findUnclearDispute } from '../../../payments/refunds/statements.ts';
import { capturedAmountOf, isAuthorized } from '../../../payments/transactions/captured.ts';
import type { Payments } from '../../../payments/transactions/payments.ts';
import type { PaymentRow } from '../../../payments/transactions/record.ts';
import type { BillingApp } from '../../app.ts';
import type { HoldState } from './hold-statements.ts';

/** What a payment took beyond what was left to pay of its purchase: an invoice, or a checkout for an amount. */
export interface Excess {
  tenantId: number;
  invoiceId?: number;
  checkoutId?: number;
  /** The payment's UUID. */
  transactionId: string;
  /** In minor units. */
  amount: number;
}

/**
 * A success pays what is left of its purchase, and what it took beyond that is its excess. What happens to another
 * payment of the purchase later changes neither.
 */
export function paidBy(amount: number, left: number): { applied: number; excess: number } {
  const applied = Math.min(amount, left);
  return { applied, excess: amount - applied };
}

export interface ExcessDeps {
  payments: Payments;
  channels: BillingApp['channels'];
  clock: Clock;
  generateUuid: GenerateUuid;
  log: Pick<Log, 'warn'>;
  /** `app.invoice.refund-excess` */
  refundsExcess: boolean;
  /** Called for each excess after the commit. */
  onExcess: BillingApp['onExcess'];
}

/**
 * Books an excess as money that pays nothing, and refunds it, once and with the reason `duplicate`. Without a provider,
 * if the channel is at another provider by now, while it is not known what a dispute in another currency has taken, or
 * if the setting forbids it, the money stays UNAPPLIED, the `amountToReturn` of the purchase, until an operator, who is
 * warned, refunds the payment; and so it does when the refund fails. Returns what stays.
 */
export async function settleExcess(
  transaction: Queryable,
  { tenantId, transactionId, amount, ...purchase }: Excess,
  { payments, clock, generateUuid, log, refundsExcess, onExcess }: ExcessDeps,
): Promise<number> {
  const payment = await payments.lock(transaction, { tenant_id: tenantId, id: transactionId });
  // A payment of a checkout may have been refunded before it is known that another one has paid.
  const unapplied = amount - payment.amount_refunded;
  if (unapplied > 0) await transaction.run(bookUnapplied, [tenantId, transactionId, unapplied, clock()]);
  const left = Math.min(amount - payment.amount_refund_held, leftToRefund(payment));
  if (left <= 0) return 0;
  const [unclear] = await transaction.run(findUnclearDispute, [tenantId, payment.id]);
  const isRefunded =
    refundsExcess &&
    unclear === undefined &&
    payment.provider !== null &&
    isAtItsProvider(await chargeOf(transaction, payment));
  afterCommit(transaction, () => onExcess(isRefunded ? 'refunded' : 'to_return'));
  if (!isRefunded) {
    const facts = { tenantId, ...purchase, transactionId: publicId('txn', transactionId), amount: left };
    log.warn(facts, 'A payment took more than was left to pay; somebody must give it back');
    return left;
  }
  const refund = { amount: left, reason: 'duplicate', metadata: null, userId: null };
  await refundLocked(transaction, payment, refund, systemActor, { payments, generateUuid });
  return 0;
}

/** An authorized payment of a purchase, and what is left for it to take. */
export interface Hold {
  tenantId: number;
  invoiceId?: number;
  checkoutId?: number;
  /** The payment's UUID. */
  transactionId: string;
  /** What neither money nor an earlier authorization has paid of the purchase, in minor units. */
  left: number;
  /** RELEASING: the provider was asked to release it. */
  state: HoldState;
}

export type SettleHold = (transaction: Queryable, hold: Hold) => Promise<HoldState>;

/**
 * Releases an authorized payment that finds less left of its purchase than it can still capture, once. Where the
 * setting forbids it, if the channel is at another provider by now, and if the provider has refused, it stays, and an
 * operator is warned: what is captured of it beyond what is left is an excess. Returns what has become of it. The
 * purchase is locked, and nothing else of the payment is under way.
 */
export async function settleHold(
  transaction: Queryable,
  { tenantId, transactionId, left, state, ...purchase }: Hold,
  deps: ExcessDeps,
): Promise<HoldState> {
  const { payments, log, refundsExcess, onExcess } = deps;
  const payment = await payments.lock(transaction, { tenant_id: tenantId, id: transactionId });
  if (payment.status !== 'PROCESSING' || !isAuthorized(payment)) return null;
  // A capture may have begun before the payment was locked: it is judged again when that has ended.
  if ((await transaction.run(findUnderWay, [tenantId, transactionId])).length > 0) return state;
  if (left >= stillCapturable(payment)) return 'KEPT';
  const isReleased = refundsExcess && state !== 'RELEASING' && isAtItsProvider(await chargeOf(transaction, payment));
  afterCommit(transaction, () => onExcess(isReleased ? 'released' : 'held'));
  if (!isReleased) {
    const facts = { tenantId, ...purchase, transactionId: publicId('txn', transactionId), left };
    log.warn(facts, 'A payment is authorized for more than is left to pay; somebody must cancel it');
    return 'KEPT';
  }
  await releaseHold(transaction, payment, systemActor, deps);
  return 'RELEASING';
}

const stillCapturable = (payment: PaymentRow) => payment.amount - capturedAmountOf(payment);
