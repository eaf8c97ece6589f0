import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { IntervalUnit } from '../plans/schema.ts';
import type { SubscriptionState } from './states.ts';

/** Times are the customer's, as text of ISO 8601 in UTC. */
export interface SubscriptionRow {
  tenant_id: number;
  id: number;
  customer_id: number;
  plan_id: number;
  quantity: number;
  /** What one of quantity costs in the current period. */
  unit_amount: number;
  currency: string;
  /** From the next period on, where that differs. */
  next_plan_id: number | null;
  next_quantity: number | null;
  channel_id: number | null;
  time_zone: string;
  metadata: Record<string, unknown> | null;
  /** Who subscribed the customer. */
  user_id: number;
  /** The test clock it goes by; 0: the real one. */
  clock_id: number;
  state: SubscriptionState;
  anchor_at: string;
  /** The number, from the anchor, of the period after the current one. */
  next_number: number;
  period_start: string;
  period_end: string;
  trial_end: string | null;
  end_at: string | null;
  cancel_at_period_end: boolean;
  due_at: string | null;
  paused_at: string | null;
  ended_at: string | null;
  version: number;
  created_at: string;
  updated_at: string;
}

/** A subscription that is held, with the terms of its current period and of the next. */
export interface SubscriptionWithTerms extends SubscriptionRow {
  plan_name: string;
  interval_unit: IntervalUnit;
  interval_count: number;
  /** Of the plan that holds from the next period on; mostly the same. */
  next_plan_name: string;
  next_unit_amount: number;
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
}

/** A subscription as `SubscriptionRow`, from `subscription s`. */
export const subscriptionColumns = `s.tenant_id, s.id, s.customer_id, s.plan_id, s.quantity, s.unit_amount, s.currency, s.next_plan_id,
  s.next_quantity, s.channel_id, s.time_zone, s.metadata, s.user_id, s.clock_id, s.state, s.anchor_at, s.next_number,
  s.period_start, s.period_end, s.trial_end, s.end_at, s.cancel_at_period_end, s.due_at, s.paused_at, s.ended_at,
  s.version, s.created_at, s.updated_at`;

const columnsWithTerms = `${subscriptionColumns}, plan.name as plan_name, plan.interval_unit, plan.interval_count,
  coming.name as next_plan_name, coming.amount as next_unit_amount, coming.interval_unit as next_interval_unit,
  coming.interval_count as next_interval_count, coming.channel_id as next_plan_channel_id`;

/** Looked up by the whole key, plan by plan, however many a tenant has. */
const terms = `cross join lateral (
       select name, interval_unit, interval_count from plan where tenant_id = s.tenant_id and id = s.plan_id limit 1
     ) as plan
     cross join lateral (
       select name, amount, interval_unit, interval_count, channel_id
         from plan where tenant_id = s.tenant_id and id = coalesce(s.next_plan_id, s.plan_id) limit 1
     ) as coming`;

/**
 * Subscriptions to which something is due, the longest due first. Those that others hold are left out: it waits for nobody,
 * and so may take them in any order. Values: clock, now in ms, how many.
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

/** Waits for each, in the order of the input. */
const lockInInputOrder = `from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
     cross join lateral (
       select * from subscription where tenant_id = wanted.tenant_id and id = wanted.id for update
     ) as s`;

/**
 * Locks subscriptions, after the invoices that are locked and before any numbers are taken (`invoices.lock` tells the order
 * and why lateral). Values: tenants and ids, an array each, as `inOrder` gives them.
 */
export const lockSubscriptions = statement<SubscriptionWithTerms>(
  'subscriptions.lock_many',
  `select ${columnsWithTerms}
     ${lockInInputOrder}
     ${terms}`,
);

/** The same, of subscriptions that are not read: their charges are about to be written. */
export const lockWithoutReading = statement<{ id: number }>(
  'subscriptions.hold_many',
  `select s.id ${lockInInputOrder}`,
);

/** Keys of subscriptions in the order in which they are locked, each once: tenants and ids, an array each. */
export function inLockOrder(keys: readonly { tenant_id: number; subscription_id: number }[]): [number[], number[]] {
  const ordered = [...new Map(keys.map((key) => [`${key.tenant_id}/${key.subscription_id}`, key])).values()].toSorted(
    (a, b) => a.tenant_id - b.tenant_id || a.subscription_id - b.subscription_id,
  );
  return [ordered.map(({ tenant_id }) => tenant_id), ordered.map(({ subscription_id }) => subscription_id)];
}

/** In whichever of these tenants it is. Values: tenants, id. */
export const lockSubscription = statement<SubscriptionWithTerms>(
  'subscriptions.lock_one',
  `select ${columnsWithTerms}
     from unnest($1::bigint[]) as seen (tenant_id)
     join subscription s on s.tenant_id = seen.tenant_id and s.id = $2
     ${terms}
      for update of s`,
);

/** The same, and nobody is kept from it. */
export const findSubscription = statement<SubscriptionWithTerms>(
  'subscriptions.find',
  `select ${columnsWithTerms}
     from unnest($1::bigint[]) as seen (tenant_id)
     join subscription s on s.tenant_id = seen.tenant_id and s.id = $2
     ${terms}`,
);

export const nextSubscriptionId = statement<{ id: number }>(
  'subscriptions.next_id',
  `select nextval(pg_get_serial_sequence('subscription', 'id')) as id`,
);

/** Values: the row as JSON. */
export const insertSubscription = statement<{ id: number }>(
  'subscriptions.insert',
  'insert into subscription select (json_populate_record(null::subscription, $1::json)).* returning id',
);

/** In no order; looked up as open charges are. */
const findPendingLines = statement<PendingLine>(
  'subscriptions.pending_lines',
  `select l.*
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
    cross join lateral (
      select tenant_id, subscription_id, id, description, amount
        from subscription_line
       where tenant_id = wanted.tenant_id and subscription_id = wanted.id and invoice_id is null
      offset 0
    ) as l`,
);

/** What no invoice has taken up yet of these subscriptions, the oldest first. */
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

/** Out of the way for a while: what could not be worked off must not keep others waiting. Values: tenant, id, until when in ms. */
export const postponeSubscription = statement(
  'subscriptions.postpone',
  'update subscription set due_at = to_timestamp($3::float8 / 1000) where tenant_id = $1 and id = $2 and due_at is not null',
);

/** The next moment at which something is due by a clock. Values: clock. */
export const nextDueTime = statement<{ at: string | null }>(
  'subscriptions.next_due',
  `select least((select min(due_at) from subscription where clock_id = $1 and due_at is not null),
                (select min(due_at) from subscription_charge where clock_id = $1 and due_at is not null)) as at`,
);

/** Test clocks by which something is due as they stand. There are none where time is real. */
export const dueClocks = statement<{ id: number; now_at: string }>(
  'subscriptions.due_clocks',
  `select k.id, k.now_at from clock k
    where exists (select from subscription s where s.clock_id = k.id and s.due_at <= k.now_at)
       or exists (select from subscription_charge c where c.clock_id = k.id and c.due_at <= k.now_at)`,
);

/** For a lookout: whether anything is due in real time, the clock 0. Who moves a test clock sees to what is due by that. */
export const subscriptionDue = `select from subscription where clock_id = 0 and due_at <= to_timestamp($1::float8 / 1000)
    union all
   select from subscription_charge where clock_id = 0 and due_at <= to_timestamp($1::float8 / 1000)`;

/** Values: tenant, plan. */
export const isPlanUsed = statement<{ used: boolean }>(
  'subscriptions.is_plan_used',
  `select exists (select from subscription where tenant_id = $1 and plan_id = $2)
       or exists (select from subscription where tenant_id = $1 and next_plan_id = $2) as used`,
);
