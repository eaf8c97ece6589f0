import { statement, type Topic } from '../../../platform/postgres/statement.ts';

/** Published when a test clock starts to advance. */
export const clocksDue: Topic = 'clocks';

export interface ClockRow {
  tenant_id: number;
  id: number;
  livemode: boolean;
  name: string;
  now_at: string;
  target_at: string | null;
  created_at: string;
  updated_at: string | null;
}

const columns = 'k.tenant_id, k.id, k.livemode, k.name, k.now_at, k.target_at, k.created_at, k.updated_at';

export const insertClock = statement<ClockRow>(
  'clocks.insert',
  `insert into clock as k (tenant_id, name, now_at, created_at, livemode)
   values ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000), $5)
   returning ${columns}`,
);

/** Values: visible tenants, id. */
export const findClock = statement<ClockRow>(
  'clocks.find',
  `select ${columns}
     from unnest($1::bigint[]) as visible (tenant_id)
     join clock k on k.tenant_id = visible.tenant_id and k.id = $2`,
);

/** Values: visible tenants, modes, offset, limit. */
export const listClocks = statement<ClockRow>(
  'clocks.list',
  `select ${columns} from clock k where k.tenant_id = any ($1::bigint[]) and k.livemode = any ($2::boolean[])
    order by k.id desc offset $3 limit $4`,
);

/** Values: visible tenants, modes. */
export const countClocks = statement<{ total: number }>(
  'clocks.count',
  'select count(*) as total from clock k where k.tenant_id = any ($1::bigint[]) and k.livemode = any ($2::boolean[])',
);

/** Starts to advance a READY clock. Values: tenant, id, target (ms), now (ms). */
export const startAdvance = statement<ClockRow>(
  'clocks.send',
  `update clock k
      set target_at = to_timestamp($3::float8 / 1000), updated_at = to_timestamp($4::float8 / 1000)
    where k.tenant_id = $1 and k.id = $2 and k.target_at is null and k.now_at <= to_timestamp($3::float8 / 1000)
   returning ${columns}`,
  { wakes: [{ topic: clocksDue, when: (rows) => rows.length > 0 }] },
);

/** For the poller: whether any clock is advancing. */
export const advancingClockDue = 'select from clock where target_at is not null';

/** Values: ids of clocks to leave out, limit. */
export const findAdvancingClocks = statement<ClockRow>(
  'clocks.under_way',
  `select ${columns} from clock k
    where k.target_at is not null and k.id <> all ($1::bigint[]) order by k.id limit $2`,
);

/**
 * Moves a clock if it still has the time `from`, so that only one of two nodes moves it. Values: tenant, id, from, to
 * (ms), whether it arrives.
 */
export const moveClock = statement<{ id: number }>(
  'clocks.step',
  `update clock k
      set now_at = to_timestamp($4::float8 / 1000),
          target_at = case when $5 then null else k.target_at end
    where k.tenant_id = $1 and k.id = $2 and k.now_at = $3::timestamptz and k.target_at is not null
   returning k.id`,
);
