import type { Queryable } from '../../platform/postgres/database.ts';
import { statement } from '../../platform/postgres/statement.ts';
import type { IntervalUnit } from '../plans/schema.ts';
import { permittedMoves, type SubscriptionState } from './states.ts';

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
export interface HeldSubscription extends SubscriptionRow {
  plan_name: string;
  interval_unit: IntervalUnit;
  interval_count: number;
  /** Of the plan that holds from the next period on; mostly the same. */
  coming_name: string;
  coming_amount: number;
  coming_unit: IntervalUnit;
  coming_count: number;
  coming_channel_id: number | null;
}

export interface PendingLine {
  tenant_id: number;
  subscription_id: number;
  id: number;
  description: string;
  amount: number;
}

/** A subscription as `SubscriptionRow`, from `subscription s`. */
export const columns = `s.tenant_id, s.id, s.customer_id, s.plan_id, s.quantity, s.unit_amount, s.currency, s.next_plan_id,
  s.next_quantity, s.channel_id, s.time_zone, s.metadata, s.user_id, s.clock_id, s.state, s.anchor_at, s.next_number,
  s.period_start, s.period_end, s.trial_end, s.end_at, s.cancel_at_period_end, s.due_at, s.paused_at, s.ended_at,
  s.version, s.created_at, s.updated_at`;

const heldColumns = `${columns}, plan.name as plan_name, plan.interval_unit, plan.interval_count,
  coming.name as coming_name, coming.amount as coming_amount, coming.interval_unit as coming_unit,
  coming.interval_count as coming_count, coming.channel_id as coming_channel_id`;

const terms = `join plan on plan.tenant_id = s.tenant_id and plan.id = s.plan_id
     join plan coming on coming.tenant_id = s.tenant_id and coming.id = coalesce(s.next_plan_id, s.plan_id)`;

/** Subscriptions to which something is due, the longest due first; those that others hold are left out. Values: clock, now in ms, how many. */
export const claimDue = statement<HeldSubscription>(
  'subscriptions.claim_due',
  `with due as materialized (
     select s.* from subscription s
      where s.clock_id = $1 and s.due_at <= to_timestamp($2::float8 / 1000)
      order by s.due_at limit $3 for update skip locked
   )
   select ${heldColumns} from due s ${terms}
    order by s.tenant_id, s.id`,
);

/** Locks subscriptions, in the order of their keys. Values: tenants and ids, an array each. */
export const lockMany = statement<HeldSubscription>(
  'subscriptions.lock_many',
  `select ${heldColumns}
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
     join subscription s on s.tenant_id = wanted.tenant_id and s.id = wanted.id
     ${terms}
    order by s.tenant_id, s.id
      for update of s`,
);

/** In whichever of these tenants it is. Values: tenants, id. */
export const lockOne = statement<HeldSubscription>(
  'subscriptions.lock_one',
  `select ${heldColumns}
     from unnest($1::bigint[]) as seen (tenant_id)
     join subscription s on s.tenant_id = seen.tenant_id and s.id = $2
     ${terms}
      for update of s`,
);

/** The same, and nobody is kept from it. */
export const findOne = statement<HeldSubscription>(
  'subscriptions.find',
  `select ${heldColumns}
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

/** Values: tenants and ids, an array each. The oldest first. */
export const pendingLines = statement<PendingLine>(
  'subscriptions.pending_lines',
  `select l.tenant_id, l.subscription_id, l.id, l.description, l.amount
     from unnest($1::bigint[], $2::bigint[]) as wanted (tenant_id, id)
     join subscription_line l
       on l.tenant_id = wanted.tenant_id and l.subscription_id = wanted.id and l.invoice_id is null
    order by l.tenant_id, l.subscription_id, l.id`,
);

export interface WrittenPeriod {
  tenant_id: number;
  subscription_id: number;
  start_at: string;
  end_at: string;
  kind: 'TRIAL' | 'BILLED' | 'PAUSED';
  invoice_id: number | null;
}

export interface WrittenCharge {
  tenant_id: number;
  invoice_id: number;
  subscription_id: number;
  clock_id: number;
  state: 'DUE' | 'FAILED' | 'SETTLED';
  failures: number;
  due_at: string | null;
}

export interface WrittenLine {
  tenant_id: number;
  subscription_id: number;
  description: string;
  amount: number;
  created_at: string;
  invoice_id: number | null;
}

export interface TakenLine {
  tenant_id: number;
  subscription_id: number;
  id: number;
  invoice_id: number;
}

/**
 * Changes of subscriptions whose locks are held, with what follows from them. Each names the version it starts from;
 * together with the table of transitions that guards against a defect, since the lock already guards against others.
 * Values, each an array in JSON: rows with `from_state` and `from_version`, periods, charges, lines, lines
 * that an invoice takes up.
 */
const save = statement<{ id: number }>(
  'subscriptions.save',
  `with change as (
     select * from json_to_recordset($1::json) as row (
       tenant_id bigint, id bigint, from_state text, from_version int, state text, plan_id bigint, quantity int, unit_amount bigint,
       next_plan_id bigint, next_quantity int, channel_id bigint, metadata json, anchor_at timestamptz, next_number int,
       period_start timestamptz, period_end timestamptz, end_at timestamptz, cancel_at_period_end boolean,
       due_at timestamptz, paused_at timestamptz, ended_at timestamptz, version int, updated_at timestamptz)
   ), saved as (
     update subscription s
        set state = change.state, plan_id = change.plan_id, quantity = change.quantity,
            unit_amount = change.unit_amount, next_plan_id = change.next_plan_id, next_quantity = change.next_quantity,
            channel_id = change.channel_id, metadata = change.metadata, anchor_at = change.anchor_at,
            next_number = change.next_number, period_start = change.period_start, period_end = change.period_end,
            end_at = change.end_at, cancel_at_period_end = change.cancel_at_period_end, due_at = change.due_at,
            paused_at = change.paused_at, ended_at = change.ended_at, version = change.version,
            updated_at = change.updated_at
       from change
      where s.tenant_id = change.tenant_id and s.id = change.id and s.version = change.from_version
        and s.state = change.from_state and (s.state, change.state) in (${permittedMoves})
     returning s.id
   ), period as (
     insert into subscription_period (tenant_id, subscription_id, start_at, end_at, kind, invoice_id)
     select * from json_to_recordset($2::json) as row (
       tenant_id bigint, subscription_id bigint, start_at timestamptz, end_at timestamptz, kind text, invoice_id bigint)
   ), charge as (
     insert into subscription_charge as c (tenant_id, invoice_id, subscription_id, clock_id, state, failures, due_at)
     select * from json_to_recordset($3::json) as row (
       tenant_id bigint, invoice_id bigint, subscription_id bigint, clock_id bigint, state text, failures smallint,
       due_at timestamptz)
     on conflict (tenant_id, invoice_id)
     do update set state = excluded.state, failures = excluded.failures, due_at = excluded.due_at
   ), line as (
     insert into subscription_line (tenant_id, subscription_id, description, amount, created_at, invoice_id)
     select * from json_to_recordset($4::json) as row (
       tenant_id bigint, subscription_id bigint, description text, amount bigint, created_at timestamptz,
       invoice_id bigint)
   ), taken as (
     update subscription_line l set invoice_id = row.invoice_id
       from json_to_recordset($5::json) as row (
         tenant_id bigint, subscription_id bigint, id bigint, invoice_id bigint)
      where l.tenant_id = row.tenant_id and l.subscription_id = row.subscription_id and l.id = row.id
   )
   select id from saved`,
);

export interface Written {
  rows: readonly (SubscriptionRow & { from_state: SubscriptionState; from_version: number })[];
  periods: readonly WrittenPeriod[];
  charges: readonly WrittenCharge[];
  lines: readonly WrittenLine[];
  taken: readonly TakenLine[];
}

export async function saveAll(transaction: Queryable, written: Written): Promise<void> {
  const { rows, periods, charges, lines, taken } = written;
  const saved = await transaction.run(
    save,
    [rows, periods, charges, lines, taken].map((list) => JSON.stringify(list)),
  );
  if (saved.length !== rows.length) throw new Error('A subscription changed while its lock was held.');
}

/** Out of the way for a while: what could not be worked off must not keep others waiting. Values: tenant, id, until when in ms. */
export const postpone = statement(
  'subscriptions.postpone',
  'update subscription set due_at = to_timestamp($3::float8 / 1000) where tenant_id = $1 and id = $2 and due_at is not null',
);

/** The next moment at which something is due by a clock. Values: clock. */
export const nextDue = statement<{ at: string | null }>(
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

/** Values: tenant, plan. */
export const isPlanUsed = statement<{ used: boolean }>(
  'subscriptions.is_plan_used',
  `select exists (select from subscription where tenant_id = $1 and plan_id = $2)
       or exists (select from subscription where tenant_id = $1 and next_plan_id = $2) as used`,
);
