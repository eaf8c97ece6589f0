import type { Queryable } from '../../../../platform/postgres/database.ts';
import { statement, type Topic } from '../../../../platform/postgres/statement.ts';
import type { Retry } from '../../../payments/providers/failures.ts';
import type { SubscriptionRow } from '../statements.ts';
import { permittedTransitions, type SubscriptionState } from '../states.ts';

/** Published when subscriptions are due for renewal or their collections are due for payment. */
export const subscriptionsDue: Topic = 'subscriptions';

export interface PeriodRow {
  tenant_id: number;
  subscription_id: number;
  start_at: string;
  end_at: string;
  kind: 'TRIAL' | 'BILLED' | 'PAUSED' | 'ELSEWHERE';
  invoice_id: number | null;
}

export interface CollectionRow {
  tenant_id: number;
  invoice_id: number;
  subscription_id: number;
  clock_id: number;
  state: 'DUE' | 'FAILED' | 'SETTLED';
  failures: number;
  due_at: string | null;
  /** The payment method of the last failed attempt; null: none was charged. */
  method_id: string | null;
  /** What the failure of that attempt allows; null: nothing has failed, or for another reason. */
  retry: Retry | null;
  /** When the schedule goes on if the present attempt, which is outside of it, fails. */
  scheduled_at: string | null;
  /** The payment method whose debit is announced; null: none is. */
  announced_method_id: string | null;
}

export interface LineRow {
  tenant_id: number;
  subscription_id: number;
  description: string;
  amount: number;
  tax_rate: number | null;
  created_at: string;
  invoice_id: number | null;
}

export interface InvoicedLine {
  tenant_id: number;
  subscription_id: number;
  id: number;
  invoice_id: number;
}

/**
 * Writes changes of locked subscriptions and the rows that they add. The lock excludes concurrent changes; the checks
 * of `from_version` and of the transition table guard against defects. Values, each a JSON array: rows with
 * `from_state` and `from_version`, periods, collections, lines, pending lines that are now on an invoice.
 */
const save = statement<{ id: number }>(
  'subscriptions.save',
  `with change as (
     select * from json_to_recordset($1::json) as row (
       tenant_id bigint, id bigint, from_state text, from_version int, state text, plan_id bigint, quantity int,
           unit_amount bigint,
       tax_rate int,
       next_plan_id bigint, next_quantity int, channel_id bigint, method_id uuid, metadata json,
       anchor_at timestamptz, next_number int,
       period_start timestamptz, period_end timestamptz, end_at timestamptz, cancel_at_period_end boolean,
       due_at timestamptz, paused_at timestamptz, ended_at timestamptz, version int, updated_at timestamptz)
   ), saved as (
     update subscription s
        set state = change.state, plan_id = change.plan_id, quantity = change.quantity,
            unit_amount = change.unit_amount, tax_rate = change.tax_rate, next_plan_id = change.next_plan_id,
                next_quantity = change.next_quantity,
            channel_id = change.channel_id, method_id = change.method_id, metadata = change.metadata,
            anchor_at = change.anchor_at,
            next_number = change.next_number, period_start = change.period_start, period_end = change.period_end,
            end_at = change.end_at, cancel_at_period_end = change.cancel_at_period_end, due_at = change.due_at,
            paused_at = change.paused_at, ended_at = change.ended_at, version = change.version,
            updated_at = change.updated_at
       from change
      where s.tenant_id = change.tenant_id and s.id = change.id and s.version = change.from_version
        and s.state = change.from_state and (s.state, change.state) in (${permittedTransitions})
     returning s.id
   ), period as (
     insert into subscription_period (tenant_id, subscription_id, start_at, end_at, kind, invoice_id)
     select * from json_to_recordset($2::json) as row (
       tenant_id bigint, subscription_id bigint, start_at timestamptz, end_at timestamptz, kind text, invoice_id bigint)
   ), collection as (
     insert into invoice_collection as c (tenant_id, invoice_id, subscription_id, clock_id, state, failures, due_at,
                                         method_id, retry, scheduled_at, announced_method_id)
     select * from json_to_recordset($3::json) as row (
       tenant_id bigint, invoice_id bigint, subscription_id bigint, clock_id bigint, state text, failures smallint,
       due_at timestamptz, method_id uuid, retry text, scheduled_at timestamptz,
       announced_method_id uuid)
     on conflict (tenant_id, invoice_id)
     do update set state = excluded.state, failures = excluded.failures, due_at = excluded.due_at,
                   method_id = excluded.method_id, retry = excluded.retry, scheduled_at = excluded.scheduled_at,
                   announced_method_id = excluded.announced_method_id
   ), line as (
     insert into subscription_line (tenant_id, subscription_id, description, amount, tax_rate, created_at, invoice_id)
     select * from json_to_recordset($4::json) as row (
       tenant_id bigint, subscription_id bigint, description text, amount bigint, tax_rate int, created_at timestamptz,
       invoice_id bigint)
   ), invoiced as (
     update subscription_line l set invoice_id = row.invoice_id
       from json_to_recordset($5::json) as row (
         tenant_id bigint, subscription_id bigint, id bigint, invoice_id bigint)
      where l.tenant_id = row.tenant_id and l.subscription_id = row.subscription_id and l.id = row.id
   )
   select id from saved`,
  { wakes: [{ topic: subscriptionsDue }] },
);

export interface ChangedRows {
  rows: readonly (SubscriptionRow & { from_state: SubscriptionState; from_version: number })[];
  periods: readonly PeriodRow[];
  collections: readonly CollectionRow[];
  lines: readonly LineRow[];
  invoicedLines: readonly InvoicedLine[];
}

export async function saveRows(transaction: Queryable, written: ChangedRows): Promise<void> {
  const { rows, periods, collections, lines, invoicedLines: taken } = written;
  const saved = await transaction.run(
    save,
    [rows, periods, collections, lines, taken].map((list) => JSON.stringify(list)),
  );
  if (saved.length !== rows.length) throw new Error('A subscription changed while it was locked.');
}
