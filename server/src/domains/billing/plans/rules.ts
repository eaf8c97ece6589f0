import { isCurrency } from '../../../core/currency.ts';
import { invalid } from '../../../core/errors.ts';

/** The longest period of each unit: about ten years, but of days and weeks, which nobody counts so far. */
export const longestInterval = { day: 365, week: 104, month: 120, year: 10 };

export function requireInterval(unit: keyof typeof longestInterval, count: number): void {
  const most = longestInterval[unit];
  if (count > most) throw invalid('intervalCount', `intervalCount must be at most ${most} where interval is ${unit}.`);
}

export function requireCurrency(currency: string): void {
  if (!isCurrency(currency)) throw invalid('currency', 'currency must be an upper-case ISO 4217 code, such as USD.');
}
