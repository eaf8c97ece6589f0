/** With fewer charges a rate says little. */
const leastCharges = 20;
/** Ten points. */
const fallBy = 0.1;

export interface FallenChannel {
  channelId: number;
  channelName: string;
  /** The success rates of the last 24 hours and of the seven days before, from 0 to 1. */
  recent: number;
  before: number;
}

interface Rates {
  charges: { succeeded: number; failed: number } | null;
  successRate: number | null;
}

interface Row {
  channelId: number;
  channelName: string;
  recent: Rates;
  before: Rates;
}

/** Channels of which the share of charges that succeeded has fallen by ten points or more. */
export function fallenChannels(rows: readonly Row[]): FallenChannel[] {
  return rows.flatMap(({ channelId, channelName, ...rates }) => {
    const [recent, before] = [rateOf(rates.recent), rateOf(rates.before)];
    if (recent === undefined || before === undefined) return [];
    // Rounded, because 0.9 - 0.8 is a little less than 0.1.
    const hasFallen = Math.round((before - recent) * 10_000) >= fallBy * 10_000;
    return hasFallen ? [{ channelId, channelName, recent, before }] : [];
  });
}

/** Undefined with too few charges. */
function rateOf({ charges, successRate }: Rates): number | undefined {
  const isEnough = charges !== null && charges.succeeded + charges.failed >= leastCharges;
  return isEnough && successRate !== null ? successRate : undefined;
}
