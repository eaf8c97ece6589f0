import { statement, type Topic } from '../../../platform/postgres/statement.ts';

/** Found by the due-work poller alone: payments that are made beside others are rare. */
export const checkoutsDue: Topic = 'checkouts';

/** A payment of a checkout for an amount that was made beside another one, and has ended. */
export interface ContestedPayment {
  tenant_id: number;
  checkout_id: number;
  number: number;
  transaction_id: string;
  /** What it has taken; 0 if it has not succeeded. */
  amount: number;
}

const toJudge = `p.is_contested and p.judged_at is null`;
const hasEnded = `t.status not in ('PENDING', 'PROCESSING')`;

/** For the poller. */
export const contestedDue = `select from checkout_payment p where ${toJudge} and exists (
  select from transaction t where t.tenant_id = p.tenant_id and t.id = p.transaction_id and ${hasEnded})`;

/**
 * Locks ended payments until the transaction ends, and skips those that another node has locked. In the order of their
 * checkouts, which are locked afterwards. Values: limit.
 */
export const claimContested = statement<ContestedPayment>(
  'checkouts.claim_contested',
  `select p.tenant_id, p.checkout_id, p.number, p.transaction_id,
          case when t.status in ('SUCCESS', 'REFUNDED') then t.amount else 0 end as amount
     from checkout_payment p
     join transaction t on t.tenant_id = p.tenant_id and t.id = p.transaction_id
    where ${toJudge} and ${hasEnded}
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
