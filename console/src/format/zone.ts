/** How far the zone is ahead of UTC at a time. */
function offsetMs(atMs: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(atMs);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const localMs = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return localMs - Math.floor(atMs / 1_000) * 1_000;
}

/** The UTC time of a local time such as `2026-01-31T09:30`. An hour that the clocks skip counts as the next one. */
export function utcTimeOf(local: string, timeZone: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const first = asUtc - offsetMs(asUtc, timeZone);
  return new Date(asUtc - offsetMs(first, timeZone)).toISOString().replace('.000', '');
}

/** The local time of a UTC time, as the value of an input of the type `datetime-local`. */
export function localTimeOf(utc: string, timeZone: string): string {
  const ms = Date.parse(utc);
  return Number.isNaN(ms) ? '' : new Date(ms + offsetMs(ms, timeZone)).toISOString().slice(0, 16);
}
