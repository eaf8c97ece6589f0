/** Where in an advance of a clock something is killed. */
export interface Kill {
  what: 'service' | 'PostgreSQL' | 'both';
  /** From 0, before the advance, to 1: how much of its way the clock has gone. */
  at: number;
  /** How long after that, so that it falls into whatever is going on then. */
  afterMs: number;
}

/**
 * Kills for so many stretches, the same for the same seed: one or two of the service in each, at random moments, and sometimes
 * one before it. The last of one stretch is of PostgreSQL alone, and of another one of both.
 */
export function courseOfKills(seed: number, stretches: number): Kill[][] {
  const random = randomOf(seed);
  const alone = Math.floor(random() * stretches);
  const together = (alone + 1 + Math.floor(random() * (stretches - 1))) % stretches;
  return Array.from({ length: stretches }, (_, stretch) => {
    const moments = Array.from({ length: 1 + Math.floor(random() * 2) }, () => random()).sort((a, b) => a - b);
    const kills = moments.map((at): Kill => ({ what: 'service', at, afterMs: random() * 60 }));
    if (random() < 0.3) kills.unshift({ what: 'service', at: 0, afterMs: 0 });
    const last = kills.at(-1) as Kill;
    if (stretch === alone) last.what = 'PostgreSQL';
    if (stretch === together) last.what = 'both';
    return kills;
  });
}

/** Numbers from 0 to below 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
