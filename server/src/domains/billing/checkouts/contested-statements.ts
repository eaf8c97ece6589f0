import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import { capturedAmount } from '../../payments/transactions/captured.ts';
import { type HoldState, isIdle } from '../invoices/settlement/hold-statements.ts';

/** Found by the due-work poller alone: payments that are made beside others are rare. */
export const checkoutsDue: Topic = 'checkouts';

/** A payment of a checkout for an amount that was made beside another one, and has ended or is authorized. */
export interface ContestedPayment {
  tenant_id: number;
  checkout_id: number;
  number: number;
  transaction_id: string;
  /** What it has taken; 0 if it has not succeeded. */
  amount: number;
  /** Whether it can be captured, and has not ended. */
  is_hold: boolean;
  hold_state: HoldState;
}

const toJudge = `p.is_contested and p.judged_at is null`;
const isOpen = `t.status in ('PENDING', 'PROCESSING')`;
const isHold = `(t.status = 'PROCESSING' and t.amount_capturable is not null)`;
/** Ended, or authorized and not judged since, or authorized still although its provider was asked to release it. */
const isDue = `(not ${isOpen} or (${isHold} and p.hold_state is distinct from 'KEPT' and ${isIdle}))`;

/** For the poller. */
export const contestedDue = `select from checkout_payment p where ${toJudge} and exists (
  select from transaction t where t.tenant_id = p.tenant_id and t.id = p.transaction_id and ${isDue})`;

/**
 * Locks payments until the transaction ends, and skips those that another node has locked. In the order of their
 * checkouts, which are locked afterwards. Values: limit.
 */
export const claimContested = statement<ContestedPayment>(
  'checkouts.claim_contested',
  `select p.tenant_id, p.checkout_id, p.number, p.transaction_id,
          case when ${isOpen} then 0 else ${capturedAmount('t')} end as amount, ${isHold} as is_hold, p.hold_state
     from checkout_payment p
     join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
    where ${toJudge} and ${isDue}
    order by p.tenant_id, p.checkout_id, t.updated_at, p.number
    limit $1
      for update of p skip locked`,
);

/** The payment that pays a locked checkout for an amount. Values: tenant, checkout. */
export const findPayingPayment = statement<{ number: number }>(
  'checkouts.find_paying',
  `select p.number
     from checkout_payment p
     join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
    where p.tenant_id = $1 and p.checkout_id = $2 and p.excess = 0 and (p.judged_at is not null or not p.is_contested)
      and t.status in ('SUCCESS', 'REFUNDED')
    limit 1`,
);

/**
 * An authorized payment of a locked checkout that stays, and reserves its amount. Values: tenant, checkout, number of
 * another.
 */
export const findKeptHold = statement<{ number: number }>(
  'checkouts.find_kept_hold',
  `select p.number
     from checkout_payment p
     join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
    where p.tenant_id = $1 and p.checkout_id = $2 and p.number <> $3 and p.hold_state = 'KEPT' and ${isHold}
    limit 1`,
);

/** Values: tenant, checkout, number, what becomes of it. */
export const setHoldState = statement(
  'checkouts.set_hold_state',
  'update checkout_payment set hold_state = $4 where tenant_id = $1 and checkout_id = $2 and number = $3',
);

/** What is authorized for a locked checkout is judged again: another payment has paid it. Values: tenant, checkout. */
export const contestHolds = statement(
  'checkouts.contest_holds',
  `update checkout_payment set hold_state = null
    where tenant_id = $1 and checkout_id = $2 and hold_state = 'KEPT' and judged_at is null`,
);

/** Values: tenant, checkout, number, what it took although the checkout is paid, now (ms). */
export const judgeContested = statement(
  'checkouts.judge_contested',
  `update checkout_payment set excess = $4, judged_at = to_timestamp($5::float8 / 1000)
    where tenant_id = $1 and checkout_id = $2 and number = $3`,
);

/** A payment of a checkout that has not ended. */
export interface OpenPayment {
  transaction_id: string;
  /** Null: it waits for money on a channel without a provider. */
  provider: string | null;
  waits_for_payer: boolean;
}

/** Values: tenant, checkout. */
export const findOpenPayments = statement<OpenPayment>(
  'checkouts.find_open_payments',
  `select p.transaction_id, t.provider, t.next_action is not null as waits_for_payer
     from checkout_payment p
     join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
    where p.tenant_id = $1 and p.checkout_id = $2 and t.status in ('PENDING', 'PROCESSING')`,
);

/**
 * All payments of a locked checkout are contested from now on, except those that are judged. Values: tenant, checkout.
 */
export const contestPayments = statement(
  'checkouts.contest_payments',
  `update checkout_payment set is_contested = true
    where tenant_id = $1 and checkout_id = $2 and not is_contested and judged_at is null`,
);
