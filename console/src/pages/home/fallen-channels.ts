/** With fewer charges a rate says little. */
const leastCharges = 20;
/** Ten points. */
const fallBy = 0.1;

export interface FallenChannel {
  channelId: number;
  channelName: string;
  /** The success rate since `recentFrom`, and the one of the days before, from 0 to 1. */
  recent: number;
  before: number;
}

/** A channel on a UTC day, as the series of statistics has it. */
interface Row {
  day: string;
  channelId?: number | undefined;
  channelName?: string | undefined;
  charges: { succeeded: number; failed: number } | null;
}

/** Channels of which the share of charges that succeeded has fallen by ten points or more since a day. */
export function fallenChannels(rows: readonly Row[], recentFrom: string): FallenChannel[] {
  return [...Map.groupBy(rows, ({ channelId }) => channelId)].flatMap(([channelId, own]) => {
    const recent = rateOf(own.filter(({ day }) => day >= recentFrom));
    const before = rateOf(own.filter(({ day }) => day < recentFrom));
    if (channelId === undefined || recent === undefined || before === undefined) return [];
    // Rounded, because 0.9 - 0.8 is a little less than 0.1.
    const hasFallen = Math.round((before - recent) * 10_000) >= fallBy * 10_000;
    return hasFallen ? [{ channelId, channelName: own[0]?.channelName ?? '', recent, before }] : [];
  });
}

/** Undefined with too few charges. */
function rateOf(rows: readonly Row[]): number | undefined {
  const sum = (name: 'succeeded' | 'failed') => rows.reduce((total, { charges }) => total + (charges?.[name] ?? 0), 0);
  const [succeeded, failed] = [sum('succeeded'), sum('failed')];
  return succeeded + failed < leastCharges ? undefined : succeeded / (succeeded + failed);
}
