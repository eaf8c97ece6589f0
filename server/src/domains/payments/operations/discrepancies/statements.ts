import { claimStatement, leasedTable } from '../../../../platform/jobs/lease-statements.ts';
import { statement, type Topic } from '../../../../platform/postgres/statement.ts';
import { lookUpWaitsMs } from '../../operation-queue/rules.ts';
import type { DiscrepancyState } from './states.ts';

/** Discrepancies are due to be looked up. */
export const discrepanciesDue: Topic = 'discrepancies';

/**
 * Opens a discrepancy that is due at once; opens it again if the provider had agreed or now reports something else.
 * Returns nothing if the same discrepancy is open, or was closed by a user. Values: tenant, payment, number, channel,
 * the outcome reported (null: none), the provider's reference, the amount and currency reported, now in ms, the mode
 * reported if it is the other one.
 */
export const insertDiscrepancy = statement<{ number: number }>(
  'discrepancies.insert',
  `insert into discrepancy as d (tenant_id, transaction_id, number, channel_id, said, reference, amount, currency,
                                      said_livemode, state, due_at, opened_at)
   select $1, $2, $3, $4, $5, $6, $7::bigint, $8, $10::boolean, 'OPEN', at, at
     from (select to_timestamp($9::float8 / 1000) as at) as now
   on conflict (tenant_id, transaction_id, number) do update
      set said = excluded.said, reference = excluded.reference, amount = excluded.amount, currency = excluded.currency,
          said_livemode = excluded.said_livemode, state = 'OPEN', due_at = excluded.due_at,
              opened_at = excluded.opened_at, look_ups = 0, closed_at = null,
          closed_by = null, close_note = null, lease = null, leased_until = null
    where d.state = 'AGREES' or (d.said, d.reference, d.amount, d.currency, d.said_livemode)
          is distinct from (excluded.said, excluded.reference, excluded.amount, excluded.currency,
              excluded.said_livemode)
   returning number`,
  { wakes: [{ topic: discrepanciesDue, when: (rows) => rows.length > 0 }] },
);

export interface DueDiscrepancy {
  tenant_id: number;
  transaction_id: string;
  number: number;
  /** Null: the provider could not say anything. */
  said: string | null;
  reference: string | null;
  state: DiscrepancyState;
  look_ups: number;
}

const waitMs = `coalesce((array[${lookUpWaitsMs.join(', ')}]::float8[])[look_ups], ${lookUpWaitsMs.at(-1)})`;

export const discrepancyTable = leasedTable({
  table: 'discrepancy',
  name: 'discrepancies',
  open: `state in ('OPEN', 'DISAGREES')`,
  waitMs: `case when state = 'DISAGREES' then ${lookUpWaitsMs.at(-1)} when look_ups = 0 then 0 else ${waitMs} end`,
});

/** For the due-work poller: whether any discrepancy is due. Value: now in ms. */
export const discrepancyDue = `select from discrepancy where ${discrepancyTable.isDue}`;

/** Leases due discrepancies. */
export const claimDiscrepancies = claimStatement<DueDiscrepancy>(discrepancyTable, {
  key: ['tenant_id', 'transaction_id', 'number'],
  returning: ['tenant_id', 'transaction_id', 'number', 'said', 'reference', 'state', 'look_ups'],
});

/**
 * Records the result of a look-up, fenced by the lease: returns nothing if the discrepancy was opened again meanwhile.
 * Values: tenant, payment, number, lease, state, look-ups, when it is due again and now, both in ms.
 */
export const recordDiscrepancy = statement<{ number: number }>(
  'discrepancies.record_verdict',
  `update discrepancy
      set state = $5, look_ups = $6, due_at = to_timestamp($7::float8 / 1000), lease = null, leased_until = null,
          closed_at = case when $5 = 'AGREES' then to_timestamp($8::float8 / 1000) end
    where tenant_id = $1 and transaction_id = $2 and number = $3 and lease = $4
   returning number`,
);
