import type { Queryable } from '../../../platform/postgres/database.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import type { Topic } from '../../../platform/postgres/topics.ts';
import type { FinalOutcome } from './settlement.ts';
import type { OperationRow } from './statements.ts';

/** Disputes are due to be looked up. */
export const disputesDue: Topic = 'disputes';

/**
 * Opens a dispute, due at once; again where it had been closed or something else is said. Values: tenant, payment, number,
 * channel, what was said, the reference it was said under, the amount and currency named, now in ms.
 */
const openDispute = statement<{ number: number }>(
  'processing.open_dispute',
  `insert into provider_dispute as d (tenant_id, transaction_id, number, channel_id, said, reference, amount, currency,
                                      state, due_at, opened_at)
   select $1, $2, $3, $4, $5, $6, $7::bigint, $8, 'OPEN', at, at
     from (select to_timestamp($9::float8 / 1000) as at) as now
   on conflict (tenant_id, transaction_id, number) do update
      set said = excluded.said, reference = excluded.reference, amount = excluded.amount, currency = excluded.currency,
          state = 'OPEN', due_at = excluded.due_at, opened_at = excluded.opened_at, look_ups = 0, closed_at = null,
          lease = null, leased_until = null
    where d.state = 'AGREES' or (d.said, d.reference, d.amount, d.currency)
          is distinct from (excluded.said, excluded.reference, excluded.amount, excluded.currency)
   returning number`,
  { wakes: [{ topic: disputesDue, when: (rows) => rows.length > 0 }] },
);

/** False: the same dispute was open already. */
export async function dispute(
  database: Queryable,
  row: OperationRow,
  { kind, reference, money }: FinalOutcome,
  nowMs: number,
): Promise<boolean> {
  const opened = await database.run(openDispute, [
    row.tenant_id,
    row.id,
    row.number,
    row.operation_channel_id,
    kind,
    reference ?? row.operation_reference,
    money?.amount ?? null,
    money?.currency ?? null,
    nowMs,
  ]);
  return opened.length > 0;
}

export type DisputeState = 'OPEN' | 'AGREES' | 'DISAGREES';

export interface DueDispute {
  tenant_id: number;
  transaction_id: string;
  number: number;
  reference: string | null;
  state: DisputeState;
  look_ups: number;
}

/** `$1` is now in ms. */
const isDue = `state <> 'AGREES' and due_at <= to_timestamp($1::float8 / 1000)
        and (leased_until is null or leased_until <= to_timestamp($1::float8 / 1000))`;

/** For a lookout: whether any dispute is due. */
export const disputeDue = `select from provider_dispute where ${isDue}`;

/** Values: now and the lease's end in ms, how many at most, the lease's token. */
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
 * What a look-up came to, under its lease: it is void where something else was said meanwhile. Values: tenant, payment,
 * number, lease, state, look-ups, when it is due again and now, both in ms.
 */
export const recordDispute = statement<{ number: number }>(
  'processing.record_dispute',
  `update provider_dispute
      set state = $5, look_ups = $6, due_at = to_timestamp($7::float8 / 1000), lease = null, leased_until = null,
          closed_at = case when $5 = 'AGREES' then to_timestamp($8::float8 / 1000) end
    where tenant_id = $1 and transaction_id = $2 and number = $3 and lease = $4
   returning number`,
);

/** Gives back what was claimed and not begun. One array a column: tenant, payment, number, lease. */
export const releaseDisputes = statement(
  'processing.release_disputes',
  `update provider_dispute d
      set lease = null, leased_until = null
     from unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::uuid[]) as given (tenant_id, transaction_id, number, lease)
    where d.tenant_id = given.tenant_id and d.transaction_id = given.transaction_id and d.number = given.number
      and d.lease = given.lease`,
);

/** Gives back whatever is leased under these tokens, after a claim whose answer was lost. Value: leases. */
export const giveBackDisputes = statement(
  'processing.give_back_disputes',
  `update provider_dispute set lease = null, leased_until = null where state <> 'AGREES' and lease = any ($1::uuid[])`,
);

/**
 * After the database's clock was set back: shortens what is due or leased further ahead than it can be. Values: now, how
 * long a lease is, the slack, in ms; the waits after each look-up, in ms, and the one after the last of them.
 */
export const bringDisputesForward = statement(
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
      and far.state <> 'AGREES'
      and (far.leased_until > to_timestamp(($1::float8 + $2::float8 + $3::float8) / 1000)
           or far.due_at > to_timestamp(($1::float8 + wait_ms + $3::float8) / 1000))`,
);

export const freeDisputeLeases = statement(
  'processing.free_dispute_leases',
  `update provider_dispute set lease = null, leased_until = null where state <> 'AGREES' and lease is not null`,
);
