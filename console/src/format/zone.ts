/** How far the zone is ahead of UTC at this moment. */
function offsetMs(moment: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(moment);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const wall = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return wall - Math.floor(moment / 1_000) * 1_000;
}

/** `2026-01-31T09:30` on the clocks of the zone, as a moment in UTC. An hour that clocks skip counts as the next one. */
export function momentOf(wall: string, timeZone: string): string {
  const asUtc = Date.parse(`${wall}Z`);
  const first = asUtc - offsetMs(asUtc, timeZone);
  return new Date(asUtc - offsetMs(first, timeZone)).toISOString().replace('.000', '');
}

/** What the clocks of the zone show at a moment, as an input of the type `datetime-local` takes it. */
export function wallOf(moment: string, timeZone: string): string {
  const ms = Date.parse(moment);
  return Number.isNaN(ms) ? '' : new Date(ms + offsetMs(ms, timeZone)).toISOString().slice(0, 16);
}
