import { claimStatement, leasedTable } from '../../../../platform/jobs/lease-statements.ts';
import { statement, type Topic } from '../../../../platform/postgres/statement.ts';
import { lookUpWaitsMs } from '../../operation-queue/rules.ts';
import { type DiscrepancyRow, discrepancyColumns } from './record.ts';
import type { DiscrepancyState, DiscrepancySubject } from './states.ts';

/** Discrepancies are due to be looked up. */
export const discrepanciesDue: Topic = 'discrepancies';

/**
 * Opens a discrepancy that is due at once; opens it again if the provider had agreed or now reports something else.
 * Returns nothing if the same discrepancy is open, or was closed by a user. Values: tenant, payment, number, channel,
 * the outcome reported (null: none), the provider's reference, the amount and currency reported, now in ms, the mode
 * reported if it is the other one, the id of a new one.
 */
export const insertDiscrepancy = statement<DiscrepancyRow>(
  'discrepancies.insert',
  `insert into discrepancy as d (tenant_id, id, transaction_id, number, channel_id, said, reference, amount, currency,
                                      said_livemode, state, due_at, opened_at)
   select $1, $11, $2, $3, $4, $5, $6, $7::bigint, $8, $10::boolean, 'OPEN', at, at
     from (select to_timestamp($9::float8 / 1000) as at) as now
   on conflict (tenant_id, transaction_id, number) do update
      set said = excluded.said, reference = excluded.reference, amount = excluded.amount, currency = excluded.currency,
          said_livemode = excluded.said_livemode, state = 'OPEN', due_at = excluded.due_at,
              opened_at = excluded.opened_at, look_ups = 0, closed_at = null,
          closed_by = null, close_note = null, lease = null, leased_until = null
    where d.state = 'AGREES' or (d.said, d.reference, d.amount, d.currency, d.said_livemode)
          is distinct from (excluded.said, excluded.reference, excluded.amount, excluded.currency,
              excluded.said_livemode)
   returning ${discrepancyColumns('d')}`,
  { wakes: [{ topic: discrepanciesDue, when: (rows) => rows.length > 0 }] },
);

/**
 * Opens a discrepancy about a dispute in another currency than its payment's, once. Values: tenant, id, payment,
 * dispute, channel, the provider's reference, amount, currency, now in ms.
 */
export const insertDisputeDiscrepancy = statement<DiscrepancyRow>(
  'discrepancies.insert_of_dispute',
  `insert into discrepancy as d (tenant_id, id, transaction_id, dispute_id, channel_id, said, reference, amount,
                                 currency, state, opened_at)
   values ($1, $2, $3, $4, $5, 'changed', $6, $7, $8, 'OPEN', to_timestamp($9::float8 / 1000))
   on conflict do nothing
   returning ${discrepancyColumns('d')}`,
);

/**
 * Opens a discrepancy about a payment of which more was given back than it took, unless one is open. It is reviewed
 * again later. Values: tenant, id, payment, channel, by how much, currency, now and when it is reviewed in ms.
 */
export const insertOverdrawn = statement<DiscrepancyRow & { is_new: boolean }>(
  'discrepancies.insert_overdrawn',
  `insert into discrepancy as d (tenant_id, id, kind, transaction_id, channel_id, amount, currency, state, due_at,
                                 opened_at)
   select $1, $2, 'OVERDRAWN', $3, $4, $5::bigint, $6, 'OPEN', to_timestamp($8::float8 / 1000),
          to_timestamp($7::float8 / 1000)
    where not exists (
      -- A person has looked at it: only a larger difference is a new one.
      select from discrepancy closed
       where closed.tenant_id = $1 and closed.transaction_id = $3 and closed.kind = 'OVERDRAWN'
         and closed.state = 'CLOSED' and closed.amount >= $5::bigint)
   on conflict (tenant_id, transaction_id) where kind = 'OVERDRAWN' and state = 'OPEN' do update
      set amount = excluded.amount
    where d.amount < excluded.amount
   returning ${discrepancyColumns('d')}, xmax = 0 as is_new`,
  { wakes: [{ topic: discrepanciesDue, when: (rows) => rows.length > 0 }] },
);

/** Ends the discrepancy about a payment whose difference is gone. Values: tenant, payment, now in ms. */
export const endOverdrawn = statement<DiscrepancyRow>(
  'discrepancies.end_overdrawn',
  `update discrepancy d
      set state = 'AGREES', closed_at = to_timestamp($3::float8 / 1000), due_at = null, lease = null,
          leased_until = null
    where d.tenant_id = $1 and d.transaction_id = $2 and d.kind = 'OVERDRAWN' and d.state = 'OPEN'
   returning ${discrepancyColumns('d')}`,
);

/** When an open discrepancy about a payment is reviewed next. Values: tenant, id, lease, then in ms. */
export const postponeOverdrawn = statement(
  'discrepancies.postpone_overdrawn',
  `update discrepancy set due_at = to_timestamp($4::float8 / 1000), lease = null, leased_until = null
    where tenant_id = $1 and id = $2 and lease = $3`,
);

export interface DueDiscrepancy {
  tenant_id: number;
  id: string;
  kind: DiscrepancySubject;
  transaction_id: string;
  /** Null: it is not about an operation. */
  number: number | null;
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
  waitMs: `case when state = 'DISAGREES' or kind = 'OVERDRAWN' then ${lookUpWaitsMs.at(-1)}
                when look_ups = 0 then 0 else ${waitMs} end`,
});

/** For the due-work poller: whether any discrepancy is due. Value: now in ms. */
export const discrepancyDue = `select from discrepancy where ${discrepancyTable.isDue}`;

/** Leases due discrepancies. */
export const claimDiscrepancies = claimStatement<DueDiscrepancy>(discrepancyTable, {
  key: ['tenant_id', 'id'],
  returning: ['tenant_id', 'id', 'kind', 'transaction_id', 'number', 'said', 'reference', 'state', 'look_ups'],
});

/**
 * Records the result of a look-up, fenced by the lease: returns nothing if the discrepancy was opened again meanwhile.
 * Values: tenant, id, lease, state, look-ups, when it is due again and now, both in ms.
 */
export const recordDiscrepancy = statement<DiscrepancyRow>(
  'discrepancies.record_verdict',
  `update discrepancy d
      set state = $4, look_ups = $5, due_at = to_timestamp($6::float8 / 1000), lease = null, leased_until = null,
          closed_at = case when $4 = 'AGREES' then to_timestamp($7::float8 / 1000) end
    where d.tenant_id = $1 and d.id = $2 and d.lease = $3
   returning ${discrepancyColumns('d')}`,
);
