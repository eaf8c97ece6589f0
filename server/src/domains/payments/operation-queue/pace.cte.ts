import { minuteMs, secondMs } from '../../../core/clock.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** The longest pause of a channel. */
const maximumPauseMs = minuteMs;
/** The rate after a refusal, as a share of the rate before it or of what the provider took. */
const afterRefusal = 0.7;
/** How much the rate grows in a second in which it is used up. */
const growth = 1.05;
/** However often the provider refuses. */
const minimumPerSecond = 1;
/** A rate that has grown beyond this is no limit any more. */
const maximumPerSecond = 1_000;

/** What is nearly one operation is one: times in ms since the epoch are exact to 0.0002 ms. */
const tolerance = 1e-4;

/** For how long unused rate accumulates, in ms: a quarter of a second, or one operation if that takes longer. */
const burstMs = (rate: string) => `greatest(250, 1000 / ${rate})`;

/** The rate in effect: the learned one or that of the setting, whichever is lower. Null: none. */
const rateOf = (row: string, setting = '$8') => `least(${row}.rate_per_s, ${setting}::float8)`;

/** Never longer than the longest pause, whatever the clocks say. */
const aheadMs = `least(greatest(coalesce(held.used_until_ms, 0) - $1::float8, 0),
                       ${maximumPauseMs} + ${burstMs(rateOf('held'))})`;

/**
 * CTEs for a claim: `paced` are the channels with work whose calls are paced, with the `rate` in effect and how many
 * operations are `allowed` now. They read `channel_with_work`. Values: `$1` is now in ms, `$8` the most operations a
 * second through a channel, or null.
 *
 * A claim holds the rows of these channels until its end; one of another node gets none of their operations meanwhile.
 * So all nodes together keep to the rate, and what is not claimed uses up nothing of it. Only the first claims of a
 * channel, which has no row yet, may overlap: each node then sends what accumulates in a quarter of a second, and the
 * next claims wait longer for it.
 */
export const pacedChannelsCte = `held as materialized (
     select channel_id, rate_per_s, used_until_ms, taken_ms from channel_pace pace
      where channel_id in (select channel_id from channel_with_work) and ${rateOf('pace')} is not null
        for update skip locked
   ), paced as materialized (
     select c.channel_id, ${rateOf('held')} as rate, held.rate_per_s as learned, held.taken_ms,
            case when pace.channel_id is not null and held.channel_id is null then 0
                 else floor(greatest(${burstMs(rateOf('held'))} - ${aheadMs},
                     0) * ${rateOf('held')} / 1000 + ${tolerance}) end::int
              as allowed
       from channel_with_work c
       left join channel_pace pace on pace.channel_id = c.channel_id and ${rateOf('pace')} is not null
       left join held on held.channel_id = c.channel_id
      where c.channel_id is not null and (pace.channel_id is not null or $8::float8 is not null)
   )`;

/**
 * A CTE that takes the operations of `capped (channel_id)` from the rates of `paced`. A learned rate grows for the time
 * since the last claim, a second at most, if this claim used it up.
 */
export const takePermitsCte = `taken as (
     insert into channel_pace as pace (channel_id, rate_per_s, used_until_ms, taken_ms)
     select paced.channel_id,
            case when grown.rate <= ${maximumPerSecond} then grown.rate end,
            $1::float8 + count * 1000 / paced.rate, $1::float8
       from (select channel_id, count(*) as count from capped group by channel_id) as claimed_of
       join paced on paced.channel_id = claimed_of.channel_id
      cross join lateral (
        select case when count >= allowed and paced.rate = learned
                    then learned * power(${growth},
                        least(greatest($1::float8 - taken_ms, 0), ${secondMs}) / ${secondMs})
                    else learned end as rate
      ) as grown
      order by paced.channel_id
     on conflict (channel_id) do update
        set rate_per_s = excluded.rate_per_s, taken_ms = excluded.taken_ms,
            used_until_ms = greatest(pace.used_until_ms, $1::float8) + excluded.used_until_ms - $1::float8
   )`;

/** How far ahead the permits of a channel are taken when one more may be, in ms: as far as claims take them. */
const oneLessMs = (rate: string) => `greatest(${burstMs(rate)} - 1000 / ${rate}, 0) + ${tolerance}`;

/**
 * Takes the permit for one call that can wait, such as a reading of disputes. Operations come first: while they use the
 * rate up, there is none, unless the call has waited for long. A channel that is not paced needs no permit. Values:
 * channel, now in ms, the most operations a second through a channel or null, whether the call has waited for long.
 */
export const takePermit = statement<{ is_granted: boolean }>(
  'operations.take_permit',
  `with paced as (
     select ${rateOf('pace', '$3')} as rate
       from (select $1::bigint as id) as channel
       left join channel_pace pace on pace.channel_id = channel.id
   ), taken as (
     insert into channel_pace as pace (channel_id, used_until_ms, taken_ms)
     select $1::bigint, $2::float8 + 1000 / rate, $2::float8 from paced where rate is not null
     on conflict (channel_id) do update
        set used_until_ms = greatest(pace.used_until_ms, $2::float8) + excluded.used_until_ms - $2::float8
      where pace.used_until_ms - $2::float8 <= case when $4::boolean then ${oneLessMs(rateOf('pace', '$3'))} else 0 end
     returning 1
   )
   select (select rate from paced) is null or exists (select from taken) as is_granted`,
);

/**
 * After the clock was set back: ends pauses and used-up rates that reach further ahead than they can. Values: now, and
 * the latest time that is possible, in ms.
 */
export const shortenPaces = statement<never>(
  'operations.shorten_paces',
  'update channel_pace set used_until_ms = $1::float8 where used_until_ms > $2::float8',
);

/** The longest time from now until a channel may send again, in ms. */
export const longestPauseMs = 2 * maximumPauseMs;

/** The rate after a refusal at `rate`. */
const slower = (rate: string) => `greatest(${rate} * ${afterRefusal}, ${minimumPerSecond})`;
/** When a channel that has paused for `pauseMs` may send its next operation. */
const pausedUntilMs = (pauseMs: string, rate: string) =>
  `$2::float8 + least(${pauseMs}, ${maximumPauseMs}) + ${burstMs(rate)} - 1000 / ${rate}`;

/**
 * Lowers the rate of a channel because its provider refused an operation, once for all refusals of a second. The first
 * time it begins at what the provider took, and the channel pauses for a second, because providers count by the second.
 * Values: channel, the time of the refusal in ms, how many operations a second the provider took, how long it asks to
 * wait in ms or null.
 */
export const slowDownChannel = statement<never>(
  'operations.slow_down',
  `insert into channel_pace as pace (channel_id, rate_per_s, used_until_ms, taken_ms, limited_ms)
   select $1::bigint, rate, ${pausedUntilMs(`coalesce($4::float8, ${secondMs})`, 'rate')}, $2::float8, $2::float8
     from (select ${slower('$3::float8')} as rate) as first
   on conflict (channel_id) do update
      set rate_per_s = case when pace.rate_per_s is null then excluded.rate_per_s else ${slower('pace.rate_per_s')} end,
          used_until_ms = case when pace.rate_per_s is not null and $4::float8 is null then pace.used_until_ms
                               else greatest(pace.used_until_ms, excluded.used_until_ms) end,
          limited_ms = $2::float8
    where (pace.limited_ms between $2::float8 - ${secondMs} and $2::float8) is not true`,
);
