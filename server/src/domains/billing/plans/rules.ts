import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';

/** The largest `intervalCount` of each unit: one year of days, two of weeks, ten of months or years. */
export const longestInterval = { day: 365, week: 104, month: 120, year: 10 };

export function requireInterval(unit: keyof typeof longestInterval, count: number): void {
  const most = longestInterval[unit];
  if (count > most) throw invalid('intervalCount', rule('interval_limit', { limit: most, interval: unit }));
}
