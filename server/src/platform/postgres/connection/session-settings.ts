import pg from 'pg';

/**
 * - `fresh`: each execution is planned for the present size of the tables. A plan from when a table was empty would
 *   scan all of it when it is full.
 * - `indexed`: as `fresh`, and rows are found by index, in its order. Until a table has been analysed for the first
 *   time PostgreSQL guesses: to claim 200 deliveries of 100,000 it sorted them all, in 55 ms instead of 2. Hash joins
 *   stay allowed, for statements that join the rows they have written with their input values: as a nested loop that
 *   took 25 ms for 500 payments.
 * - `indexed-kept`: as `indexed`, and planned once for any values, until the tables have grown (`PlanRenewal`): for
 *   statements that run hundreds of times a second. To plan the settlement of one payment took 4.4 ms, to execute it
 *   1.5.
 * - `kept`: planned once, for statements whose plan does not depend on the size of tables.
 */
export type Plans = 'fresh' | 'indexed' | 'indexed-kept' | 'kept';

const fresh = '-c plan_cache_mode=force_custom_plan';
const byIndex = ['seqscan', 'bitmapscan', 'sort', 'mergejoin'].map((way) => ` -c enable_${way}=off`).join('');
const planning: Record<Plans, string> = {
  fresh,
  indexed: `${fresh}${byIndex}`,
  'indexed-kept': `-c plan_cache_mode=force_generic_plan${byIndex}`,
  kept: '-c plan_cache_mode=auto',
};

/**
 * The settings of every connection. JIT is off: PostgreSQL decides by estimated cost, and with it queries of the
 * delivery queue that take 4 ms took 350, above all in a database without statistics.
 */
export function sessionSettings(name: string, statementTimeoutMs: number, plans: Plans = 'fresh'): pg.ClientConfig {
  return {
    application_name: `florin ${name}`,
    options:
      `-c timezone=UTC -c jit=off -c statement_timeout=${statementTimeoutMs} -c ` +
      `idle_in_transaction_session_timeout=30000 ${planning[plans]}`,
    keepAlive: true,
    types: { getTypeParser: parserOfType as typeof pg.types.getTypeParser },
  };
}

const int8 = 20;
const int8Array = 1016;
const timestamptz = 1184;
const date = 1082;

function parserOfType(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (format === 'binary') return pg.types.getTypeParser(oid, 'binary') as (text: string) => unknown;
  if (oid === int8) return Number; // Every bigint column holds at most 2^53 − 1; sums are numeric, which stay text.
  if (oid === int8Array) return numbersOfArray;
  if (oid === timestamptz) return isoTime;
  if (oid === date) return String;
  return pg.types.getTypeParser(oid, 'text') as (text: string) => unknown;
}

function numbersOfArray(text: string): number[] {
  return text === '{}' ? [] : text.slice(1, -1).split(',').map(Number);
}

/** `2026-01-31 09:30:00.5+00` in the format of the interface: `2026-01-31T09:30:00.500Z`. */
function isoTime(text: string): string {
  const fraction = text.length > 22 ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}
