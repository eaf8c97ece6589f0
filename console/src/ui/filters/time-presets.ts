import { localTimeOf, utcTimeOf } from '../../format/zone.ts';

export const timePresets = ['today', 'week', 'month'] as const;
export type TimePreset = (typeof timePresets)[number];

const dayMs = 86_400_000;

/** When the range begins that a preset means: a day of the zone, as a time in UTC. It is open to the future. */
export function startOf(preset: TimePreset, timeZone: string, nowMs: number): string {
  const today = localTimeOf(new Date(nowMs).toISOString(), timeZone).slice(0, 10);
  const first = {
    today,
    week: new Date(Date.parse(today) - 6 * dayMs).toISOString().slice(0, 10),
    month: `${today.slice(0, 8)}01`,
  }[preset];
  return utcTimeOf(`${first}T00:00`, timeZone);
}

/** The preset that these limits are now; undefined: they are others. */
export function presetOf(
  { startDate, endDate }: { startDate: string; endDate: string },
  timeZone: string,
  nowMs: number,
): TimePreset | undefined {
  return endDate === '' ? timePresets.find((preset) => startOf(preset, timeZone, nowMs) === startDate) : undefined;
}
