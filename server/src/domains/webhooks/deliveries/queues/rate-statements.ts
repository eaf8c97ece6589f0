import { statement } from '../../../../platform/postgres/statement.ts';

/** For how long unused rate accumulates, in ms: a quarter of a second, or one delivery if that takes longer. */
const burstMs = (rate: string) => `greatest(250, 1000 / ${rate}::float8)`;
/** How many deliveries a rate that is used up for `aheadMs` allows. Three thirds of a second add up to one. */
const allowed = (rate: string, aheadMs: string) => `floor((${burstMs(rate)} - ${aheadMs}) * ${rate} / 1000 + 1e-6)`;
/** Never more than the burst, whatever the clocks say. */
const aheadMs = `least(greatest(pace.used_until_ms - $1::float8, 0), ${burstMs('excluded.rate_per_s')})`;
const granted = `least(excluded.granted, ${allowed('excluded.rate_per_s', aheadMs)})`;

/**
 * Takes deliveries from the rates of endpoints, for all nodes together, and returns how many each may send now, and
 * when the next. Values: now in ms; ids in rising order, how many deliveries are wanted, the rate per second, one array
 * each.
 */
export const takeRateAllowance = statement<{ endpoint_id: number; granted: number; next_ms: number }>(
  'deliveries.take_rate',
  `insert into endpoint_rate as pace (endpoint_id, rate_per_s, used_until_ms, granted)
   select id, rate, $1::float8 + count * 1000 / rate::float8, count
     from unnest($2::bigint[], $3::int[], $4::int[]) as requested (id, wanted, rate)
     cross join lateral (select least(wanted, ${allowed('rate', '0')}) as count) as first
   on conflict (endpoint_id) do update
      set rate_per_s = excluded.rate_per_s,
          granted = ${granted},
          used_until_ms = $1::float8 + ${aheadMs} + ${granted} * 1000 / excluded.rate_per_s
   returning endpoint_id, granted,
             used_until_ms + 1000 / rate_per_s::float8 - ${burstMs('rate_per_s')} as next_ms`,
);

/**
 * After the clock was set back: makes rates that are used up for longer than they can be available now. Value: now in
 * ms.
 */
export const shortenRates = statement(
  'deliveries.shorten_rates',
  `update endpoint_rate set used_until_ms = $1::float8 where used_until_ms > $1::float8 + ${burstMs('rate_per_s')}`,
);
