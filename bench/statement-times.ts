import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from './service.ts';

/** By statement name: the time of each execution in PostgreSQL, planning included, in ms. */
export type StatementTimes = Map<string, number[]>;

/** Makes PostgreSQL log the duration of all statements during `work`. */
export async function timesOfStatements(service: Service, work: () => Promise<void>): Promise<StatementTimes> {
  const file = join(service.dataDir, 'postgres.log');
  const from = statSync(file).size;
  await service.query('alter system set log_min_duration_statement = 0');
  await service.query('alter system set log_parameter_max_length = 0');
  await service.query('select pg_reload_conf()');
  await work();
  await service.query('alter system reset all');
  await service.query('select pg_reload_conf()');
  return timesIn(readFileSync(file).subarray(from).toString());
}

/** Each execution has two log lines, bind and execute. PostgreSQL plans during bind, so both count. */
function timesIn(log: string): StatementTimes {
  const times: StatementTimes = new Map();
  const bound = new Map<string, number>();
  for (const [, pid = '', ms, step, name = ''] of log.matchAll(
    /\[(\d+)\] LOG: {2}duration: ([\d.]+) ms {2}(bind|execute) ([a-z_]+\.[a-z_]+)(?:\/\d+)?: /g,
  )) {
    if (step === 'bind') {
      bound.set(pid, Number(ms));
      continue;
    }
    const all = times.get(name) ?? [];
    all.push(Number(ms) + (bound.get(pid) ?? 0));
    times.set(name, all);
  }
  return times;
}
