import type { Clock } from '../../../core/clock.ts';
import { type FailureReports, Worker } from '../../../platform/jobs/worker.ts';
import type { Database, Transaction } from '../../../platform/postgres/database.ts';
import { paidBy, type SettleHold } from '../invoices/settlement/excess.ts';
import type { SettlementDeps } from '../invoices/settlement/settle.ts';
import {
  type ContestedPayment,
  checkoutsDue,
  claimContested,
  contestedDue,
  contestHolds,
  findKeptHold,
  findPayingPayment,
  judgeContested,
  setHoldState,
} from './contested-statements.ts';
import { lockCheckout } from './statements.ts';

export interface ContestedDeps extends Pick<SettlementDeps, 'settleExcess'>, FailureReports {
  database: Database;
  clock: Clock;
  settleHold: SettleHold;
}

/** Payments in one transaction. */
const maximumBatch = 50;

/**
 * Judges payments of checkouts for an amount that were made beside others and have ended or are authorized: the first
 * that succeeded pays the checkout, what another one took is given back, and what is authorized besides is released.
 * One transaction claims and judges them, so no leases are needed.
 */
export function contestedPaymentWorker(deps: ContestedDeps): Worker<ContestedPayment> {
  const { onError, onRecovered } = deps;
  return new Worker<ContestedPayment>({
    name: 'checkouts',
    dueWork: { topic: checkoutsDue, due: contestedDue },
    claim: (limit) => judgeEnded(limit, deps),
    slots: maximumBatch,
    onError,
    onRecovered,
  });
}

async function judgeEnded(limit: number, deps: ContestedDeps): Promise<readonly ContestedPayment[]> {
  const { database } = deps;
  // Nearly every poll finds nothing and needs no transaction.
  if ((await database.run(claimContested, [1])).length === 0) return [];
  return database.transaction(async (transaction) => {
    const claimed = await transaction.run(claimContested, [limit]);
    for (const payment of claimed) await judge(transaction, payment, deps);
    return claimed;
  });
}

async function judge(transaction: Transaction, payment: ContestedPayment, deps: ContestedDeps): Promise<void> {
  const { tenant_id: tenantId, checkout_id: checkoutId } = payment;
  // Another node may judge another payment of the same checkout: the statement after the lock sees its judgement.
  await transaction.run(lockCheckout, [tenantId, checkoutId]);
  const isPaid = (await transaction.run(findPayingPayment, [tenantId, checkoutId])).length > 0;
  if (payment.is_hold) await judgeHold(transaction, payment, isPaid, deps);
  else await judgeMoney(transaction, payment, isPaid, deps);
}

/** The first that was authorized reserves the amount, until another payment has paid it. */
async function judgeHold(
  transaction: Transaction,
  { tenant_id: tenantId, checkout_id: checkoutId, number, transaction_id: transactionId, hold_state }: ContestedPayment,
  isPaid: boolean,
  { settleHold }: ContestedDeps,
): Promise<void> {
  const isReserved = isPaid || (await transaction.run(findKeptHold, [tenantId, checkoutId, number])).length > 0;
  const left = isReserved ? 0 : Number.MAX_SAFE_INTEGER;
  const hold = { tenantId, checkoutId, transactionId, left, state: hold_state };
  const next = await settleHold(transaction, hold);
  await transaction.run(setHoldState, [tenantId, checkoutId, number, next]);
}

async function judgeMoney(
  transaction: Transaction,
  { tenant_id: tenantId, checkout_id: checkoutId, number, transaction_id: transactionId, amount }: ContestedPayment,
  isPaid: boolean,
  { clock, settleExcess }: ContestedDeps,
): Promise<void> {
  const { excess } = paidBy(amount, isPaid ? 0 : amount);
  await transaction.run(judgeContested, [tenantId, checkoutId, number, excess, clock()]);
  if (excess > 0) await settleExcess(transaction, { tenantId, checkoutId, transactionId, amount: excess });
  else if (amount > 0) await transaction.run(contestHolds, [tenantId, checkoutId]);
}
