import { plainArray, textArray } from '../../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { statement, type Topic } from '../../../../platform/postgres/statement.ts';
import type { FailureCode } from '../failures.ts';
import type { MethodType } from '../kept-method.ts';
import type { Operation } from '../provider.ts';
import type { SignedMessage } from './messages.ts';

/** Callbacks of the sandbox are due. */
export const sandboxCallbacksDue: Topic = 'sandbox';

/**
 * `UNTAKEN`: received but not carried out. `UNDECIDED`: waits for the payer's choice. `AUTHORIZED`: waits to be
 * captured.
 */
export type OperationState = 'UNTAKEN' | 'PENDING' | 'UNDECIDED' | 'AUTHORIZED' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

export interface OperationRecord {
  key: string;
  kind: Operation['kind'];
  channel_id: number;
  amount: number;
  currency: string;
  state: OperationState;
  /** null: `succeed`. */
  behaviour: string | null;
  failure_code: FailureCode | null;
  fee: number | null;
  /** When the final state may be reported, in ms; null: at any time. */
  settles_ms: number | null;
  /** When a refund that has succeeded will fail, in ms; null: it does not, or it has. */
  returns_ms: number | null;
  lookups_left: number | null;
  return_url: string | null;
  statement_descriptor: string | null;
  /** The customer that the charge keeps a payment method for; null: it keeps none. */
  customer: string | null;
  /** What was captured of a charge that is captured by requests; null: it is captured with its success. */
  captured: number | null;
  /** Of a capture. */
  is_final: boolean | null;
  /** When an authorization ends, in ms. */
  expires_ms: number | null;
}

export interface NewOperationRecord extends OperationRecord {
  /** When its money is disputed, in ms; null: it is not. */
  disputed_ms: number | null;
  charge_key: string | null;
  callbacks_json: string | null;
  callback_due_ms: number | null;
  callback_trouble: 'no_secret' | null;
  created_ms: number;
}

/** The columns of `OperationRecord`, from `sandbox_operation o`. */
export const operationColumns = `o.key, o.kind, o.channel_id, o.amount, o.currency, o.state, o.behaviour,
  o.failure_code, o.fee,
  (extract(epoch from o.settles_at) * 1000)::float8 as settles_ms,
  (extract(epoch from o.returns_at) * 1000)::float8 as returns_ms, o.lookups_left, o.return_url,
  o.statement_descriptor, o.customer, o.captured, o.is_final,
  (extract(epoch from o.expires_at) * 1000)::float8 as expires_ms`;

/** Inserts a batch. Skips keys that exist and does not return them. */
const insertOperations = statement<{ key: string }>(
  'sandbox.insert_operations',
  `insert into sandbox_operation (key, kind, channel_id, amount, currency, state, created_at, behaviour, failure_code,
       fee,
                                  settles_at, lookups_left, charge_key, return_url, callbacks, callback_due_at,
                                  callback_trouble, returns_at, statement_descriptor, captured, is_final,
                                  expires_at, disputed_at)
   select key, kind, channel_id, amount, currency, state, to_timestamp(created_ms / 1000), behaviour, failure_code, fee,
          to_timestamp(settles_ms / 1000), lookups_left, charge_key, return_url, callbacks::json,
          to_timestamp(callback_due_ms / 1000), callback_trouble, to_timestamp(returns_ms / 1000),
          statement_descriptor, captured, is_final, to_timestamp(expires_ms / 1000), to_timestamp(disputed_ms / 1000)
     from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::float8[], $8::text[],
                 $9::text[], $10::bigint[], $11::float8[], $12::int[], $13::text[], $14::text[], $15::text[],
                 $16::float8[], $17::text[], $18::float8[], $19::text[], $20::bigint[], $21::boolean[],
                 $22::float8[], $23::float8[])
       as row (key, kind, channel_id, amount, currency, state, created_ms, behaviour, failure_code, fee, settles_ms,
               lookups_left, charge_key, return_url, callbacks, callback_due_ms, callback_trouble, returns_ms,
               statement_descriptor, captured, is_final, expires_ms, disputed_ms)
   on conflict (key) do nothing
   returning key`,
);

export function insertMany(database: Queryable, records: readonly NewOperationRecord[]): Promise<{ key: string }[]> {
  type Value = string | number | boolean | null;
  const column = <V extends Value>(value: (record: NewOperationRecord) => V) => records.map(value);
  // unnest pads a null array with nulls, so a column that is null in the whole batch costs next to nothing.
  const rare = (value: (record: NewOperationRecord) => Value, array: (values: never[]) => unknown = plainArray) => {
    const values = column(value);
    return values.every((one) => one === null) ? null : array(values as never[]);
  };
  return database.run(insertOperations, [
    textArray(column((record) => record.key)),
    plainArray(column((record) => record.kind)),
    plainArray(column((record) => record.channel_id)),
    plainArray(column((record) => record.amount)),
    textArray(column((record) => record.currency)),
    plainArray(column((record) => record.state)),
    plainArray(column((record) => record.created_ms)),
    rare((record) => record.behaviour),
    rare((record) => record.failure_code),
    rare((record) => record.fee),
    rare((record) => record.settles_ms),
    rare((record) => record.lookups_left),
    rare((record) => record.charge_key, textArray),
    rare((record) => record.return_url, textArray),
    rare((record) => record.callbacks_json, textArray),
    rare((record) => record.callback_due_ms),
    rare((record) => record.callback_trouble),
    rare((record) => record.returns_ms),
    rare((record) => record.statement_descriptor, textArray),
    rare((record) => record.captured),
    rare((record) => record.is_final),
    rare((record) => record.expires_ms),
    rare((record) => record.disputed_ms),
  ]);
}

/** The state of a charge that succeeds. */
const taken = `case when o.captured is null then 'SUCCEEDED' else 'AUTHORIZED' end`;

/**
 * Counts repeated calls, and carries out a charge whose first call was lost. Values: keys, calls of each. The caller
 * sorts the keys, so that rows are locked in that order: sorting here would make the planner read the whole table by
 * its key.
 */
export const recordRepeatedCalls = statement<OperationRecord>(
  'sandbox.record_repeated_calls',
  `update sandbox_operation o
      set calls = calls + again.count,
          state = case when o.state = 'UNTAKEN' and o.kind = 'CHARGE' and o.behaviour <> 'silent' then ${taken}
                       else o.state end
     from unnest($1::text[], $2::int[]) as again (key, count)
    where o.key = again.key
   returning ${operationColumns}`,
);

export const findOperation = statement<OperationRecord>(
  'sandbox.find',
  `select ${operationColumns} from sandbox_operation o where key = $1 and kind <> 'SETUP'`,
);

/** Makes a result final before it is reported: the operation can no longer be cancelled. Values: key, now in ms. */
export const fixDueResult = statement<OperationRecord>(
  'sandbox.fix_due_result',
  `update sandbox_operation o set settles_at = null
    where key = $1 and settles_at <= to_timestamp($2::float8 / 1000)
   returning ${operationColumns}`,
);

/**
 * Fails a refund whose money came back, so that the amount can be refunded again. Locks the charge after the refund, as
 * `settleRefund` does. Values: key, now in ms.
 */
export const failReturned = statement<OperationRecord>(
  'sandbox.fail_returned',
  `with refund as (
     update sandbox_operation o
        set state = 'FAILED', returns_at = null, failure_code = 'refund_refused'
      where key = $1 and state = 'SUCCEEDED' and returns_at <= to_timestamp($2::float8 / 1000)
     returning o.charge_key, o.amount as returned, ${operationColumns}
   ), charge as (
     update sandbox_operation c
        set refunded = c.refunded - refund.returned
       from refund
      where c.key = refund.charge_key
   )
   select * from refund`,
);

/** Counts a look-up of an operation that succeeds after a number of them. Values: key. */
export const countOperationLookUp = statement<OperationRecord>(
  'sandbox.count_look_up',
  `update sandbox_operation o
      set lookups_left = lookups_left - 1, state = case when lookups_left <= 1 then ${taken} else state end
    where key = $1 and state = 'PENDING' and lookups_left > 0
   returning ${operationColumns}`,
);

/**
 * Carries out a refund or refuses it: the charge must have succeeded, on the same channel and in the same currency, and
 * the sum of its refunds must not exceed it. Locks the refund before the charge, so that a concurrent call with the
 * same key waits and finds the refund settled. Values: the refund's key, now in ms.
 */
export const settleRefund = statement<OperationRecord>(
  'sandbox.settle_refund',
  `with refund as materialized (
     select key, charge_key, channel_id, amount, currency from sandbox_operation
      where key = $1 and kind = 'REFUND' and state = 'UNTAKEN'
        for update
   ), charge as (
     update sandbox_operation c
        set refunded = c.refunded + refund.amount, settles_at = null
       from refund
      where c.key = refund.charge_key and c.kind = 'CHARGE' and c.state = 'SUCCEEDED'
        and c.channel_id = refund.channel_id and c.currency = refund.currency
        and (c.settles_at is null or c.settles_at <= to_timestamp($2::float8 / 1000))
        and refund.amount <= coalesce(c.captured, c.amount) - c.refunded
     returning c.key
   ), result as (
     select refund.key, exists (select from charge) as is_refunded from refund
   )
   update sandbox_operation o
      set state = case when is_refunded then 'SUCCEEDED' else 'FAILED' end,
          failure_code = case when not is_refunded then 'refund_refused' end,
          settles_at = case when is_refunded then settles_at end,
          callbacks = case when is_refunded then callbacks end,
          callback_due_at = case when is_refunded then callback_due_at end,
          returns_at = case when is_refunded then returns_at end,
          disputed_at = case when is_refunded then disputed_at end
     from result
    where o.key = result.key
   returning ${operationColumns}`,
);

/**
 * Cancels a charge whose final state has not been reported yet; otherwise it is too late. A charge that does not exist
 * yet is inserted as cancelled, so that a late call cannot carry it out. Values: the cancellation's key, now in ms.
 */
export const settleCancel = statement<OperationRecord>(
  'sandbox.settle_cancel',
  `with cancel as materialized (
     select key, charge_key, channel_id, amount, currency from sandbox_operation
      where key = $1 and kind = 'CANCEL' and state = 'UNTAKEN'
        for update
   ), charge as (
     insert into sandbox_operation as c (key, kind, channel_id, amount, currency, state, created_at, calls)
     select charge_key, 'CHARGE', channel_id, amount, currency, 'CANCELLED', to_timestamp($2::float8 / 1000), 0
       from cancel
     on conflict (key) do update
        set state = 'CANCELLED', failure_code = null, settles_at = null, callbacks = null, callback_due_at = null
      where c.kind = 'CHARGE' and c.channel_id = excluded.channel_id
        and (c.state in ('UNTAKEN', 'PENDING', 'UNDECIDED', 'CANCELLED') or c.settles_at > excluded.created_at
             or (c.state = 'AUTHORIZED' and c.captured = 0))
     returning c.key
   ), result as (
     select cancel.key, exists (select from charge) as is_cancelled from cancel
   )
   update sandbox_operation o
      set state = case when is_cancelled then 'CANCELLED' else 'FAILED' end,
          failure_code = case when not is_cancelled then 'invalid_operation' end
     from result
    where o.key = result.key
   returning ${operationColumns}`,
);

/** Values: key, new state, failure code, the decision (selects the callbacks to send), now in ms, kind. */
export const decideOperation = statement<OperationRecord>(
  'sandbox.decide',
  `update sandbox_operation o
      set state = case when $2 = 'SUCCEEDED' then ${taken} else $2 end, failure_code = $3, callbacks = callbacks -> $4,
          callback_due_at = case when callbacks is not null then to_timestamp($5::float8 / 1000) end,
          kept_at = case when customer is not null and $2 = 'SUCCEEDED' then to_timestamp($5::float8 / 1000) end
    where key = $1 and state = 'UNDECIDED' and kind = $6
   returning ${operationColumns}`,
  { wakes: [{ topic: sandboxCallbacksDue, when: (rows) => rows.length > 0 }] },
);

export interface DueCallback {
  key: string;
  channel_id: number;
  callbacks: SignedMessage[];
  callback_step: number;
  callback_tries: number;
}

/** `$1` is now in ms. */
const isCallbackDue = `callback_due_at <= to_timestamp($1::float8 / 1000) and state <> 'UNTAKEN'`;

/** For the due-work poller: whether any callback is due. Value: now in ms. */
export const sandboxCallbackDue = `select from sandbox_operation where ${isCallbackDue}`;

/**
 * Claims the next callback of each operation that has one due. The new due time is the lease: when it runs out, another
 * sender claims the callback, and the step fences off a late result of the first sender. The first callback makes the
 * result final. Values: now and the end of the lease in ms, limit.
 */
export const claimCallbacks = statement<DueCallback>(
  'sandbox.claim_callbacks',
  `with due as materialized (
     select key from sandbox_operation
      where ${isCallbackDue}
      order by callback_due_at
      limit $3
        for update skip locked
   )
   update sandbox_operation o
      set callback_due_at = to_timestamp($2::float8 / 1000), settles_at = null
     from due
    where o.key = due.key
   returning o.key, o.channel_id, o.callbacks, o.callback_step, o.callback_tries`,
);

/** Makes the next callback due, if there is one. Values: key, step, when (ms). */
export const recordCallbackSent = statement(
  'sandbox.record_callback_sent',
  `update sandbox_operation
      set callback_step = callback_step + 1, callback_tries = 0,
          callback_due_at = case when callback_step + 1 < json_array_length(callbacks)
                                 then to_timestamp($3::float8 / 1000) end
    where key = $1 and callback_step = $2`,
);

/** Values: key, step, when to retry (ms; null: never). */
export const recordCallbackFailed = statement(
  'sandbox.record_callback_failed',
  `update sandbox_operation
      set callback_tries = callback_tries + 1, callback_due_at = to_timestamp($3::float8 / 1000),
          callback_trouble = case when $3::float8 is null then 'given_up' end
    where key = $1 and callback_step = $2`,
);

/** Releases callbacks that were claimed but not started. Values: keys and steps (one array each), now in ms. */
export const releaseCallbacks = statement(
  'sandbox.release_callbacks',
  `update sandbox_operation o
      set callback_due_at = to_timestamp($3::float8 / 1000)
     from unnest($1::text[], $2::int[]) as released (key, step)
    where o.key = released.key and o.callback_step = released.step`,
);

/** An operation that has kept a payment method, or may. */
export interface KeptRecord {
  key: string;
  kind: 'CHARGE' | 'SETUP';
  channel_id: number;
  state: OperationState;
  /** The word that it was called with; null: none. */
  behaviour: string | null;
  failure_code: FailureCode | null;
  return_url: string | null;
  created_ms: number;
  /** Null: it keeps nothing. */
  customer: string | null;
  method_type: MethodType | null;
  last4: string | null;
  kept_ms: number | null;
  detached: boolean;
  /** The first charge with the method. */
  used_by: string | null;
}

const keptColumns = `key, kind, channel_id, state, behaviour, failure_code, return_url,
  (extract(epoch from created_at) * 1000)::float8 as created_ms, customer, method_type, last4,
  (extract(epoch from kept_at) * 1000)::float8 as kept_ms, detached_at is not null as detached, used_by`;

/**
 * Records a setup once. Values: key, channel, state, word, failure code, return address, customer, type of the method,
 * last digits, callbacks as JSON, when the first is due in ms, why there are none, now in ms.
 */
export const insertSetup = statement(
  'sandbox.insert_setup',
  `insert into sandbox_operation (key, kind, channel_id, state, behaviour, failure_code, return_url, customer,
                                  method_type, last4, callbacks, callback_due_at, callback_trouble, created_at, kept_at)
   values ($1, 'SETUP', $2, $3, $4, $5, $6, $7, $8, $9, $10, to_timestamp($11::float8 / 1000), $12,
           to_timestamp($13::float8 / 1000), case when $3 = 'SUCCEEDED' then to_timestamp($13::float8 / 1000) end)
   on conflict (key) do update set calls = sandbox_operation.calls + 1`,
);

export const findKept = statement<KeptRecord>(
  'sandbox.find_kept',
  `select ${keptColumns} from sandbox_operation where key = $1 and kind in ('CHARGE', 'SETUP')`,
);

/** Counts a charge with a method; the first one stays. Values: key of the method, key of the charge. */
export const useKept = statement<KeptRecord>(
  'sandbox.use_kept',
  `update sandbox_operation set used_by = coalesce(used_by, $2) where key = $1 and customer is not null
   returning ${keptColumns}`,
);

/**
 * Lets a charge keep what it is paid with. Values: key, customer, type, callbacks as JSON, when the first is due in ms,
 * why there are none, now in ms.
 */
export const keepMethodOfCharge = statement(
  'sandbox.keep_method_of_charge',
  `update sandbox_operation
      set customer = $2, method_type = $3, callbacks = coalesce($4, callbacks),
          callback_due_at = coalesce(to_timestamp($5::float8 / 1000), callback_due_at),
          callback_trouble = coalesce($6, callback_trouble), kept_at = to_timestamp($7::float8 / 1000)
    where key = $1 and customer is null`,
);

/** Values: key, now in ms. */
export const detachKept = statement(
  'sandbox.detach_kept',
  `update sandbox_operation set detached_at = coalesce(detached_at, to_timestamp($2::float8 / 1000))
    where key = $1 and customer is not null`,
);

/** The payer did not finish in time. */
export const failUndecidedSetup = statement(
  'sandbox.fail_undecided_setup',
  `update sandbox_operation set state = 'FAILED', failure_code = 'payment_expired'
    where key = $1 and state = 'UNDECIDED'`,
);
