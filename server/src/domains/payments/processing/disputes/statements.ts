import { statement } from '../../../../platform/postgres/statement.ts';
import type { Topic } from '../../../../platform/postgres/topics.ts';
import type { DisputeState } from './states.ts';

/** Disputes are due to be looked up. */
export const disputesDue: Topic = 'disputes';

/**
 * Opens a dispute that is due at once; opens it again if the provider had agreed or now reports something else. Returns
 * nothing if the same dispute is open, or was closed by a user. Values: tenant, payment, number, channel, the outcome reported, the provider's
 * reference, the amount and currency reported, now in ms.
 */
export const insertDispute = statement<{ number: number }>(
  'processing.open_dispute',
  `insert into provider_dispute as d (tenant_id, transaction_id, number, channel_id, said, reference, amount, currency,
                                      state, due_at, opened_at)
   select $1, $2, $3, $4, $5, $6, $7::bigint, $8, 'OPEN', at, at
     from (select to_timestamp($9::float8 / 1000) as at) as now
   on conflict (tenant_id, transaction_id, number) do update
      set said = excluded.said, reference = excluded.reference, amount = excluded.amount, currency = excluded.currency,
          state = 'OPEN', due_at = excluded.due_at, opened_at = excluded.opened_at, look_ups = 0, closed_at = null,
          closed_by = null, close_note = null, lease = null, leased_until = null
    where d.state = 'AGREES' or (d.said, d.reference, d.amount, d.currency)
          is distinct from (excluded.said, excluded.reference, excluded.amount, excluded.currency)
   returning number`,
  { wakes: [{ topic: disputesDue, when: (rows) => rows.length > 0 }] },
);

export interface DueDispute {
  tenant_id: number;
  transaction_id: string;
  number: number;
  reference: string | null;
  state: DisputeState;
  look_ups: number;
}

/** As in the partial index. */
const isNotClosed = `state in ('OPEN', 'DISAGREES')`;

/** Whether a dispute is due and not leased. `$1` is now in ms. */
const isDue = `${isNotClosed} and due_at <= to_timestamp($1::float8 / 1000)
        and (leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))`;

/** For the due-work poller: whether any dispute is due. Value: now in ms. */
export const disputeDue = `select from provider_dispute where ${isDue}`;

/** Leases due disputes. Values: now and the end of the lease in ms, the most disputes, the token of the lease. */
export const claimDisputes = statement<DueDispute>(
  'processing.claim_disputes',
  `with due as materialized (
     select tenant_id, transaction_id, number from provider_dispute
      where ${isDue}
      order by due_at
      limit $3
        for update skip locked
   )
   update provider_dispute d
      set lease = $4, leased_until = to_timestamp($2::float8 / 1000)
     from due
    where d.tenant_id = due.tenant_id and d.transaction_id = due.transaction_id and d.number = due.number
   returning d.tenant_id, d.transaction_id, d.number, d.reference, d.state, d.look_ups`,
);

/**
 * Records the result of a look-up, fenced by the lease: returns nothing if the dispute was opened again meanwhile. Values:
 * tenant, payment, number, lease, state, look-ups, when it is due again and now, both in ms.
 */
export const recordDispute = statement<{ number: number }>(
  'processing.record_dispute',
  `update provider_dispute
      set state = $5, look_ups = $6, due_at = to_timestamp($7::float8 / 1000), lease = null, leased_until = null,
          closed_at = case when $5 = 'AGREES' then to_timestamp($8::float8 / 1000) end
    where tenant_id = $1 and transaction_id = $2 and number = $3 and lease = $4
   returning number`,
);

/** Ends the leases of disputes that were claimed and not started. One array for each column: tenant, payment, number, lease. */
export const releaseDisputes = statement(
  'processing.release_disputes',
  `update provider_dispute d
      set lease = null, leased_until = null
     from unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::uuid[]) as released (tenant_id, transaction_id, number, lease)
    where d.tenant_id = released.tenant_id and d.transaction_id = released.transaction_id and d.number = released.number
      and d.lease = released.lease`,
);

/** Ends these leases, after claims whose response was lost. Value: leases. */
export const giveBackDisputes = statement(
  'processing.give_back_disputes',
  `update provider_dispute set lease = null, leased_until = null where ${isNotClosed} and lease = any ($1::uuid[])`,
);

/**
 * After the database's clock was set back: shortens leases and due times that lie further ahead than a full lease or a full
 * wait from now. Values in ms: now, the length of a lease, the tolerance, an array of the waits after each look-up, and the
 * wait after all later ones.
 */
export const shortenDisputeWaits = statement(
  'processing.bring_disputes_forward',
  `update provider_dispute d
      set leased_until = case when d.lease is not null
                             then least(d.leased_until, to_timestamp(($1::float8 + $2::float8) / 1000)) end,
          due_at = least(d.due_at, to_timestamp(($1::float8 + wait_ms) / 1000))
     from provider_dispute far
    cross join lateral (
      select case when far.state = 'DISAGREES' then $5::float8
                  when far.look_ups = 0 then 0
                  else coalesce(($4::float8[])[far.look_ups], $5::float8) end as wait_ms
    ) as wait
    where d.tenant_id = far.tenant_id and d.transaction_id = far.transaction_id and d.number = far.number
      and far.state in ('OPEN', 'DISAGREES')
      and (far.leased_until > to_timestamp(($1::float8 + $2::float8 + $3::float8) / 1000)
           or far.due_at > to_timestamp(($1::float8 + wait_ms + $3::float8) / 1000))`,
);

/** Ends every lease: for a node that is alone with the database, because their holders are dead. */
export const freeDisputeLeases = statement(
  'processing.free_dispute_leases',
  `update provider_dispute set lease = null, leased_until = null where ${isNotClosed} and lease is not null`,
);
