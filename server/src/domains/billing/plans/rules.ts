import { invalid } from '../../../core/errors.ts';

/** The largest `intervalCount` of each unit: one year of days, two of weeks, ten of months or years. */
export const longestInterval = { day: 365, week: 104, month: 120, year: 10 };

export function requireInterval(unit: keyof typeof longestInterval, count: number): void {
  const most = longestInterval[unit];
  if (count > most) throw invalid('intervalCount', `intervalCount must be at most ${most} when interval is ${unit}.`);
}
