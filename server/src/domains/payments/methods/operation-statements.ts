import { claimStatement, leasedTable } from '../../../platform/jobs/lease-statements.ts';
import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import { lookUpWaitsMs, maximumLimitWaitMs } from '../operation-queue/rules.ts';
import { openStates } from '../operation-queue/statements.ts';
import type { ProviderName } from '../providers/directory.ts';

/** Operations of payment methods are due. */
export const methodOperationsDue: Topic = 'methods';

/** READY: recorded, not sent. CALLING: sent, or about to be. The others are as those of `provider_operation`. */
export type MethodOperationState = 'READY' | 'CALLING' | 'UNKNOWN' | 'WAITING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

export interface MethodOperationRow {
  tenant_id: number;
  method_id: string;
  number: number;
  kind: 'SETUP' | 'DETACH';
  channel_id: number;
  provider: ProviderName;
  state: MethodOperationState;
  look_ups: number;
  provider_reference: string | null;
  created_at: string;
  called_at: string | null;
}

const key = ['tenant_id', 'method_id', 'number'] as const;

export const methodOperationTable = leasedTable({
  table: 'payment_method_operation',
  name: 'methods',
  open: 'finished_at is null',
  waitMs: `case when state = 'READY' then ${maximumLimitWaitMs}
               else (array[${lookUpWaitsMs.join(', ')}]::float8[])[least(look_ups + 1, ${lookUpWaitsMs.length})] end`,
});

/** For the due-work poller: whether any operation is due. Value: now in ms. */
export const methodOperationDue = `select from payment_method_operation where ${methodOperationTable.isDue}`;

const operationColumns = [
  ...key,
  'kind',
  'channel_id',
  'provider',
  'state',
  'look_ups',
  'provider_reference',
  'created_at',
  'called_at',
] as const;

export const claimMethodOperations = claimStatement<MethodOperationRow>(methodOperationTable, {
  key,
  returning: operationColumns,
});

/** The setup of a method that was sent and has not ended. Values: tenant, method. */
export const findOpenSetup = statement<MethodOperationRow>(
  'methods.find_open_setup',
  `select ${operationColumns.join(', ')} from payment_method_operation
    where tenant_id = $1 and method_id = $2 and kind = 'SETUP' and state in (${openStates}) and state <> 'READY'`,
);

const isLeased = 'tenant_id = $1 and method_id = $2 and number = $3 and lease = $4';

/** Before the call: if the process dies, the next one looks the operation up. Values: key, lease, now in ms. */
export const markCalling = statement<{ number: number }>(
  'methods.mark_calling',
  `update payment_method_operation
      set state = 'CALLING', called_at = coalesce(called_at, to_timestamp($5::float8 / 1000))
    where ${isLeased}
   returning number`,
);

/** Values: key, lease, state, when it is due again in ms, the provider's id, calls and look-ups to add. */
export const deferMethodOperation = statement(
  'methods.defer',
  `update payment_method_operation
      set state = $5, due_at = to_timestamp($6::float8 / 1000), lease = null, leased_until = null,
          called_at = case when $5 <> 'READY' then called_at end,
          provider_reference = coalesce($7, provider_reference), calls = calls + $8, look_ups = look_ups + $9
    where ${isLeased}`,
);

/**
 * Ends an operation that is still open, under whatever lease: a final outcome stays true. Values: key, state, now in
 * ms, the provider's id, failure code, the provider's code, the message, calls and look-ups to add.
 */
export const finishMethodOperation = statement<{ number: number }>(
  'methods.finish',
  `update payment_method_operation
      set state = $4, finished_at = to_timestamp($5::float8 / 1000), lease = null, leased_until = null,
          provider_reference = coalesce($6, provider_reference), failure_code = $7, provider_code = $8,
          failure_message = $9, calls = calls + $10, look_ups = look_ups + $11
    where tenant_id = $1 and method_id = $2 and number = $3 and state in (${openStates})
   returning number`,
);

/** Opens the next operation of a method. Values: tenant, method, kind, channel, provider, now in ms. */
export const openMethodOperation = statement(
  'methods.open',
  `insert into payment_method_operation (tenant_id, method_id, number, kind, channel_id, provider, due_at, created_at)
   select $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5, to_timestamp($6::float8 / 1000),
          to_timestamp($6::float8 / 1000)
     from payment_method_operation
    where tenant_id = $1 and method_id = $2`,
  { wakes: [{ topic: methodOperationsDue }] },
);

/** Makes the open setup of a method due. Values: tenant, method, now in ms. */
export const makeSetupDue = statement<{ is_leased: boolean }>(
  'methods.make_setup_due',
  `update payment_method_operation
      set due_at = least(due_at, to_timestamp($3::float8 / 1000))
    where tenant_id = $1 and method_id = $2 and kind = 'SETUP' and state in (${openStates})
   returning coalesce(leased_until > to_timestamp($3::float8 / 1000), false) as is_leased`,
  { wakes: [{ topic: methodOperationsDue, when: (rows) => rows.length > 0 }] },
);

/** The setup that a provider knows by its id. Values: channel, reference. */
export const findSetupByReference = statement<{ tenant_id: number; method_id: string }>(
  'methods.find_setup_by_reference',
  `select tenant_id, method_id from payment_method_operation
    where channel_id = $1 and provider_reference = $2 and kind = 'SETUP'`,
);

/** A setup by the method in its key, which does not name the tenant. Values: channel, method. */
export const findSetupByMethod = statement<{ tenant_id: number; method_id: string }>(
  'methods.find_setup_by_method',
  `select o.tenant_id, o.method_id
     from tenant
     join payment_method_operation o on o.tenant_id = tenant.id and o.method_id = $2
    where o.channel_id = $1 and o.kind = 'SETUP'`,
);
