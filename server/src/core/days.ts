import { dayMs } from './clock.ts';
import { invalid } from './errors.ts';

/** The time range of the requested days: whole UTC days, both inclusive. */
export interface DayRange {
  startDate: string;
  endDate: string;
  fromMs: number;
  /** Exclusive. */
  toMs: number;
}

const firstDay = '1970-01-01';
const lastDay = '9999-12-31';

export function dayRangeOf(startDate: string = firstDay, endDate: string = lastDay): DayRange {
  if (startDate > endDate) throw invalid('startDate', 'startDate must not be after endDate.');
  return { startDate, endDate, fromMs: Date.parse(startDate), toMs: Date.parse(endDate) + dayMs };
}
