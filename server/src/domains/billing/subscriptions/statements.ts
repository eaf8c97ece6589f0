import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { IntervalUnit } from '../plans/schema.ts';
import type { SubscriptionState } from './states.ts';

/** Times are the customer's, as ISO 8601 text in UTC. */
export interface SubscriptionRow {
  tenant_id: number;
  id: number;
  /** The mode of its customer and plan. */
  livemode: boolean;
  /** The id in the shop's own or in a former system; null: none was given. It never changes. */
  external_id: string | null;
  customer_id: number;
  plan_id: number;
  quantity: number;
  /** The price of one unit in the current period. */
  unit_amount: number;
  /** The tax rate of the current period, in basis points; null: untaxed. */
  tax_rate: number | null;
  currency: string;
  /** The plan and quantity from the next period on; null: unchanged. */
  next_plan_id: number | null;
  next_quantity: number | null;
  channel_id: number | null;
  /** The UUID of the payment method that renewals are charged with; null: the customer's default. */
  method_id: string | null;
  time_zone: string;
  metadata: Record<string, unknown> | null;
  /** The user who created the subscription. */
  user_id: number;
  /** The customer's test clock; 0: the real time. */
  clock_id: number;
  state: SubscriptionState;
  anchor_at: string;
  /** The number of the next period, counted from the anchor. */
  next_number: number;
  period_start: string;
  period_end: string;
  trial_end: string | null;
  end_at: string | null;
  cancel_at_period_end: boolean;
  due_at: string | null;
  paused_at: string | null;
  /** When the first of its failed payments is retried. Read from its collections, not from a column. */
  next_payment_attempt: string | null;
  ended_at: string | null;
  version: number;
  created_at: string;
  updated_at: string;
}

/** A subscription with the terms of its current period and of the next. */
export interface SubscriptionWithTerms extends SubscriptionRow {
  plan_name: string;
  interval_unit: IntervalUnit;
  interval_count: number;
  /** The terms of the plan from the next period on, which is usually the same plan. */
  next_plan_name: string;
  next_unit_amount: number;
  next_tax_rate: number | null;
  next_interval_unit: IntervalUnit;
  next_interval_count: number;
  next_plan_channel_id: number | null;
}

export interface PendingLine {
  tenant_id: number;
  subscription_id: number;
  id: number;
  description: string;
  amount: number;
  /** In basis points; null: untaxed. */
  tax_rate: number | null;
}

/** `offset 0` makes it one lookup in the index of open collections, as in `findOpenCollections`. */
const nextPaymentAttempt = `(select min(c.due_at) from (
    select due_at from invoice_collection
     where tenant_id = s.tenant_id and subscription_id = s.id and state <> 'SETTLED' and state = 'FAILED'
    offset 0) as c)`;

/** The columns of `SubscriptionRow`, from `subscription s`. */
export const subscriptionColumns = `s.tenant_id, s.id, s.livemode, s.external_id, s.customer_id, s.plan_id, s.quantity,
    s.unit_amount, s.tax_rate, s.currency, s.next_plan_id,
  s.next_quantity, s.channel_id, s.method_id, s.time_zone, s.metadata, s.user_id, s.clock_id, s.state,
  s.anchor_at, s.next_number,
  s.period_start, s.period_end, s.trial_end, s.end_at, s.cancel_at_period_end, s.due_at,
  ${nextPaymentAttempt} as next_payment_attempt, s.paused_at, s.ended_at,
  s.version, s.created_at, s.updated_at`;

const columnsWithTerms = `${subscriptionColumns}, plan.name as plan_name, plan.interval_unit, plan.interval_count,
  next_plan.name as next_plan_name, next_plan.amount as next_unit_amount, next_plan.tax_rate as next_tax_rate,
  next_plan.interval_unit as next_interval_unit,
  next_plan.interval_count as next_interval_count, next_plan.channel_id as next_plan_channel_id`;

/** Lateral, so that each plan is looked up by its whole key, regardless of how many plans a tenant has. */
const terms = `cross join lateral (
       select name, interval_unit, interval_count from plan where tenant_id = s.tenant_id and id = s.plan_id limit 1
     ) as plan
     cross join lateral (
       select name, amount, tax_rate, interval_unit, interval_count, channel_id
         from plan where tenant_id = s.tenant_id and id = coalesce(s.next_plan_id, s.plan_id) limit 1
     ) as next_plan`;

/**
 * Locks due subscriptions, those with the earliest due time first. It skips locked rows and so never waits, which
 * allows any lock order. Values: clock, now (ms), limit.
 */
export const claimDue = statement<SubscriptionWithTerms>(
  'subscriptions.claim_due',
  `with due as materialized (
     select s.* from subscription s
      where s.clock_id = $1 and s.due_at <= to_timestamp($2::float8 / 1000)
      order by s.due_at limit $3 for update skip locked
   )
   select ${columnsWithTerms} from due s ${terms}
    order by s.tenant_id, s.id`,
);

/** Waits for each lock, in the order of the input. */
const lockInInputOrder = `from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
     cross join lateral (
       select * from subscription where tenant_id = wanted.tenant_id and id = wanted.id for update
     ) as s`;

/**
 * Locks subscriptions: after invoices and before number counters. `lockInvoiceRows` explains the lock order and the
 * lateral lookups. Values: arrays of tenants and ids, from `inLockOrder`.
 */
export const lockSubscriptions = statement<SubscriptionWithTerms>(
  'subscriptions.lock_many',
  `select ${columnsWithTerms}
     ${lockInInputOrder}
     ${terms}`,
);

/** Locks subscriptions without reading their terms. Values: as `lockSubscriptions`. */
export const lockSubscriptionIds = statement<{ id: number }>(
  'subscriptions.lock_ids',
  `select s.id ${lockInInputOrder}`,
);

/** Subscription keys in lock order, without duplicates: arrays of tenants and ids. */
export function inLockOrder(keys: readonly { tenant_id: number; subscription_id: number }[]): [number[], number[]] {
  const ordered = [...new Map(keys.map((key) => [`${key.tenant_id}/${key.subscription_id}`, key])).values()].toSorted(
    (a, b) => a.tenant_id - b.tenant_id || a.subscription_id - b.subscription_id,
  );
  return [ordered.map(({ tenant_id }) => tenant_id), ordered.map(({ subscription_id }) => subscription_id)];
}

/** Values: visible tenants, id. */
export const lockSubscription = statement<SubscriptionWithTerms>(
  'subscriptions.lock_one',
  `select ${columnsWithTerms}
     from unnest($1::bigint[]) as visible (tenant_id)
     join subscription s on s.tenant_id = visible.tenant_id and s.id = $2
     ${terms}
      for update of s`,
);

/** Reads without a lock. Values: as `lockSubscription`. */
export const findSubscription = statement<SubscriptionWithTerms>(
  'subscriptions.find',
  `select ${columnsWithTerms}
     from unnest($1::bigint[]) as visible (tenant_id)
     join subscription s on s.tenant_id = visible.tenant_id and s.id = $2
     ${terms}`,
);

export const nextSubscriptionId = statement<{ id: number }>(
  'subscriptions.next_id',
  `select next_id('subscription_id_seq') as id`,
);

/** Values: the row, as JSON. */
export const insertSubscription = statement<{ id: number }>(
  'subscriptions.insert',
  'insert into subscription select (json_populate_record(null::subscription, $1::json)).* returning id',
);

/** Unordered; `findOpenCollections` explains the lookup. Values: arrays of tenants and subscriptions. */
const findPendingLines = statement<PendingLine>(
  'subscriptions.find_pending_lines',
  `select l.*
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select tenant_id, subscription_id, id, description, amount, tax_rate
        from subscription_line
       where tenant_id = wanted.tenant_id and subscription_id = wanted.id and invoice_id is null
      offset 0
    ) as l`,
);

/** Credits and charges of these subscriptions that are not on an invoice yet, oldest first. */
export async function pendingLinesOf(
  database: Queryable,
  subscriptions: readonly { tenant_id: number; id: number }[],
): Promise<PendingLine[]> {
  const found = await database.run(findPendingLines, [
    subscriptions.map(({ tenant_id }) => tenant_id),
    subscriptions.map(({ id }) => id),
  ]);
  return found.sort((a, b) => a.id - b.id);
}

/** Values: tenant, id, new due time (ms). */
export const postponeSubscription = statement(
  'subscriptions.postpone',
  `update subscription set due_at = to_timestamp($3::float8 / 1000)
       where tenant_id = $1 and id = $2 and due_at is not null`,
);

/** The earliest due time of a clock's subscriptions and collections. Values: clock. */
export const nextDueTime = statement<{ at: string | null }>(
  'subscriptions.next_due',
  `select least((select min(due_at) from subscription where clock_id = $1 and due_at is not null),
                (select min(due_at) from invoice_collection where clock_id = $1 and due_at is not null)) as at`,
);

/** Test clocks whose customers have due work at the clock's current time. */
export const dueClocks = statement<{ id: number; now_at: string }>(
  'subscriptions.due_clocks',
  `select k.id, k.now_at from clock k
    where exists (select from subscription s where s.clock_id = k.id and s.due_at <= k.now_at)
       or exists (select from invoice_collection c where c.clock_id = k.id and c.due_at <= k.now_at)`,
);

/**
 * For the poller: whether work is due in real time (clock 0). The test clock worker wakes this worker for test clocks.
 */
export const subscriptionDue = `select from subscription where clock_id = 0
    and due_at <= to_timestamp($1::float8 / 1000)
    union all
   select from invoice_collection where clock_id = 0 and due_at <= to_timestamp($1::float8 / 1000)
    union all
   select from collection_retry`;

/** Whether a subscription uses a plan, now or from its next period on. Values: tenant, plan. */
export const isPlanUsed = statement<{ used: boolean }>(
  'subscriptions.is_plan_used',
  `select exists (select from subscription where tenant_id = $1 and plan_id = $2)
       or exists (select from subscription where tenant_id = $1 and next_plan_id = $2) as used`,
);

/** The living subscriptions that name a payment method. Values: tenant, method. */
export const findSubscriptionsOfMethod = statement<{ tenant_id: number; subscription_id: number }>(
  'subscriptions.find_of_method',
  `select tenant_id, id as subscription_id from subscription
    where tenant_id = $1 and method_id = $2 and state not in ('CANCELLED', 'EXPIRED')
    order by id`,
);

/** The customer of a subscription. */
export interface Payer {
  id: number;
  livemode: boolean;
  default_channel_id: number | null;
  /** The channel of its default method; null: it has none. */
  method_channel_id: number | null;
  clock_id: number | null;
  clock_now: string | null;
}

/** Locks the paying customer against changes, and reads it with the time of its test clock. Values: tenant, id. */
export const lockPayer = statement<Payer>(
  'subscriptions.lock_payer',
  `select c.id, c.livemode, c.default_channel_id, c.clock_id, k.now_at as clock_now,
          (select channel_id from payment_method m
            where m.tenant_id = c.tenant_id and m.customer_id = c.id and m.is_default) as method_channel_id
     from customer c
     left join clock k on k.tenant_id = c.tenant_id and k.id = c.clock_id
    where c.tenant_id = $1 and c.id = $2
      for share of c`,
);

/** Values: tenant, clock. */
export const findClockTime = statement<{ now_at: string }>(
  'subscriptions.find_clock_time',
  'select now_at from clock where tenant_id = $1 and id = $2',
);
