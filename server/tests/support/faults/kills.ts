/** When something is killed while a test clock advances. */
export interface Kill {
  what: 'service' | 'PostgreSQL' | 'both';
  /** The progress of the clock, from 0 (before it advances) to 1. */
  at: number;
  /** The delay after that, so that the kill hits work in progress. */
  afterMs: number;
}

/**
 * Kills for a number of stretches, the same for the same seed: in each, one or two of the service at random times, and
 * sometimes one before it. In one stretch the last kill is of PostgreSQL alone, in another one of both.
 */
export function killSchedule(seed: number, stretches: number): Kill[][] {
  const random = seededRandom(seed);
  const alone = Math.floor(random() * stretches);
  const together = (alone + 1 + Math.floor(random() * (stretches - 1))) % stretches;
  return Array.from({ length: stretches }, (_, stretch) => {
    const times = Array.from({ length: 1 + Math.floor(random() * 2) }, () => random()).sort((a, b) => a - b);
    const kills = times.map((at): Kill => ({ what: 'service', at, afterMs: random() * 60 }));
    if (random() < 0.3) kills.unshift({ what: 'service', at: 0, afterMs: 0 });
    const last = kills.at(-1) as Kill;
    if (stretch === alone) last.what = 'PostgreSQL';
    if (stretch === together) last.what = 'both';
    return kills;
  });
}

/** Pseudo-random numbers from 0 to below 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
