import { minuteMs } from '../../../core/clock.ts';
import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import type { DisputeRow } from './record.ts';

/** Tolerates a difference between the clocks of providers and ours. */
const clockSkewMs = 10 * minuteMs;

/** Lists of disputes, or known disputes, are due to be read at their providers. */
export const disputeReadingsDue: Topic = 'dispute_readings';

export interface ChannelReading {
  channel_id: number;
  since_ms: number;
  cursor: string | null;
  began_ms: number | null;
}

/** For the due-work poller: whether any list is due. Value: now in ms. */
export const channelReadingDue = 'select from dispute_reading where due_at <= to_timestamp($1::float8 / 1000)';

/** Has the lists of channels read that were not read before. Values: providers, now in ms. */
export const beginChannelReadings = statement<{ channel_id: number }>(
  'disputes.begin_channel_readings',
  `insert into dispute_reading (channel_id, since, due_at)
   select id, to_timestamp($2::float8 / 1000), to_timestamp($2::float8 / 1000)
     from channel
    where provider = any ($1::text[]) and not exists (select from dispute_reading r where r.channel_id = channel.id)
   on conflict do nothing
   returning channel_id`,
);

/**
 * Lists that are due. They are due again later, also if the process dies. Values: now in ms, limit, then in ms,
 * channels that are left out.
 */
export const claimChannelReadings = statement<ChannelReading>(
  'disputes.claim_channel_readings',
  `update dispute_reading r set due_at = to_timestamp($3::float8 / 1000)
    where r.channel_id in (
      select channel_id from dispute_reading
       where due_at <= to_timestamp($1::float8 / 1000) and channel_id <> all ($4::bigint[])
       order by due_at limit $2 for update skip locked
    )
   returning r.channel_id, (extract(epoch from r.since) * 1000)::float8 as since_ms, r.cursor,
             (extract(epoch from r.began_at) * 1000)::float8 as began_ms`,
);

/**
 * Records how far a list was read. Values: channel, since in ms, the next page (null: none), when the reading under way
 * began in ms (null: none is), when it goes on in ms.
 */
export const recordChannelReading = statement(
  'disputes.record_channel_reading',
  `update dispute_reading
      set since = to_timestamp($2::float8 / 1000), cursor = $3, began_at = to_timestamp($4::float8 / 1000),
          due_at = to_timestamp($5::float8 / 1000)
    where channel_id = $1`,
);

/** For the due-work poller: whether any dispute is due to be read. Value: now in ms. */
export const disputeReadingDue = 'select from dispute where read_due_at <= to_timestamp($1::float8 / 1000)';

export type DueReading = Pick<
  DisputeRow,
  'tenant_id' | 'id' | 'channel_id' | 'provider_reference' | 'created_at' | 'read_at'
>;

/** Disputes that are due to be read, and then again later. Values: as those of `claimChannelReadings`. */
export const claimDisputeReadings = statement<DueReading>(
  'disputes.claim_readings',
  `update dispute d set read_due_at = to_timestamp($3::float8 / 1000)
    where (d.tenant_id, d.id) in (
      select tenant_id, id from dispute
       where read_due_at <= to_timestamp($1::float8 / 1000) and channel_id <> all ($4::bigint[])
       order by read_due_at limit $2 for update skip locked
    )
   returning d.tenant_id, d.id, d.channel_id, d.provider_reference, d.created_at, d.read_at`,
);

/**
 * Has disputes read that have changed at their provider since they were read. Values: channel, references, when each
 * has changed in ms, now in ms.
 */
export const readChangedDisputes = statement<{ id: string }>(
  'disputes.read_changed',
  `update dispute d set read_due_at = least(d.read_due_at, to_timestamp($4::float8 / 1000))
     from (select * from unnest($2::text[], $3::float8[])) as changed (reference, at_ms)
    where d.channel_id = $1 and d.provider_reference = changed.reference
      and d.read_at <= to_timestamp((changed.at_ms + ${clockSkewMs}) / 1000)
   returning d.id`,
  { wakes: [{ topic: disputeReadingsDue, when: (rows) => rows.length > 0 }] },
);

/** Values: tenant, id, when it is read next in ms; null: no more. */
export const postponeDisputeReading = statement(
  'disputes.postpone_reading',
  `update dispute set read_due_at = to_timestamp($3::float8 / 1000) where tenant_id = $1 and id = $2`,
);
