import { localTimeOf, utcTimeOf } from '../../format/zone.ts';

export const timePresets = ['today', 'week', 'month', 'lastMonth'] as const;
export type TimePreset = (typeof timePresets)[number];

/** Times in UTC; the end is exclusive, and empty if the range is open to the future. */
export interface TimeRange {
  startDate: string;
  endDate: string;
}

const dayMs = 86_400_000;

/** The days of the zone that a preset means. */
export function rangeOf(preset: TimePreset, timeZone: string, nowMs: number): TimeRange {
  const today = localTimeOf(new Date(nowMs).toISOString(), timeZone).slice(0, 10);
  const firstOfMonth = `${today.slice(0, 8)}01`;
  const [first, end] = {
    today: [today],
    week: [dayAt(Date.parse(today) - 6 * dayMs)],
    month: [firstOfMonth],
    lastMonth: [`${dayAt(Date.parse(firstOfMonth) - dayMs).slice(0, 8)}01`, firstOfMonth],
  }[preset] as [string, string?];
  const startOf = (day: string) => utcTimeOf(`${day}T00:00`, timeZone);
  return { startDate: startOf(first), endDate: end === undefined ? '' : startOf(end) };
}

/** The preset that these limits are now; undefined: they are others. */
export function presetOf({ startDate, endDate }: TimeRange, timeZone: string, nowMs: number): TimePreset | undefined {
  return timePresets.find((preset) => {
    const range = rangeOf(preset, timeZone, nowMs);
    return range.startDate === startDate && range.endDate === endDate;
  });
}

const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
