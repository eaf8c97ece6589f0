const dayMs = 86_400_000;

/** Whole UTC days, YYYY-MM-DD, both inclusive. */
export interface DayRange {
  startDate: string;
  endDate: string;
}

export const rangePresets = ['today', 'week', 'days30', 'month', 'lastMonth'] as const;
export type RangePreset = (typeof rangePresets)[number];

/** As many as a series of the service may have. */
export const maximumDays = 366;

const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The days that a preset means: up to today, except for the last month. */
export function daysOfPreset(preset: RangePreset, nowMs: number): DayRange {
  const today = dayAt(nowMs);
  const firstOfMonth = `${today.slice(0, 8)}01`;
  const lastOfLastMonth = dayAt(Date.parse(firstOfMonth) - dayMs);
  const last = (days: number) => ({ startDate: dayAt(nowMs - (days - 1) * dayMs), endDate: today });
  return {
    today: last(1),
    week: last(7),
    days30: last(30),
    month: { startDate: firstOfMonth, endDate: today },
    lastMonth: { startDate: `${lastOfLastMonth.slice(0, 8)}01`, endDate: lastOfLastMonth },
  }[preset];
}

export function presetOfDays({ startDate, endDate }: DayRange, nowMs: number): RangePreset | undefined {
  return rangePresets.find((preset) => {
    const days = daysOfPreset(preset, nowMs);
    return days.startDate === startDate && days.endDate === endDate;
  });
}

export function countOfDays({ startDate, endDate }: DayRange): number {
  return Math.round((Date.parse(endDate) - Date.parse(startDate)) / dayMs) + 1;
}

/** Each day, the first one first. */
export function eachDayOf(range: DayRange): string[] {
  const firstMs = Date.parse(range.startDate);
  return Array.from({ length: countOfDays(range) }, (_, i) => dayAt(firstMs + i * dayMs));
}

/** As many days, right before the first one. */
export function daysBefore(range: DayRange): DayRange {
  const firstMs = Date.parse(range.startDate);
  return { startDate: dayAt(firstMs - countOfDays(range) * dayMs), endDate: dayAt(firstMs - dayMs) };
}

/** The range that the address or the user names; seven days if it is none, or longer than the service counts. */
export function rangeOf({ startDate, endDate }: Partial<DayRange>, nowMs: number): DayRange {
  const isDay = (text: string | undefined): text is string =>
    /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''));
  if (!isDay(startDate) || !isDay(endDate)) return daysOfPreset('week', nowMs);
  const range = { startDate, endDate };
  const days = countOfDays(range);
  return days >= 1 && days <= maximumDays ? range : daysOfPreset('week', nowMs);
}
