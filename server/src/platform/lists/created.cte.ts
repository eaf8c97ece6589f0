import { type TimeLimits, timeRangeOf } from '../../core/days.ts';
import type { Filter } from './filters.ts';

/** Filters by the time of creation, for rows whose key does not contain it. `createdLimitsOf` gives the values. */
export const createdFilters = (column: string) =>
  ({
    createdFromMs: { type: 'float8', condition: (value: string) => `${column} >= to_timestamp(${value} / 1000)` },
    createdToMs: { type: 'float8', condition: (value: string) => `${column} < to_timestamp(${value} / 1000)` },
  }) as const satisfies Record<string, Filter>;

export function createdLimitsOf(limits: TimeLimits): { createdFromMs?: number; createdToMs?: number } {
  const { fromMs, toMs } = timeRangeOf(limits);
  return {
    ...(limits.startDate !== undefined && { createdFromMs: fromMs }),
    ...(limits.endDate !== undefined && { createdToMs: toMs }),
  };
}
