/** A cell of a sheet. */
export type Cell =
  | string
  | null
  /** A number in decimal digits, with a point. */
  | { number: string }
  /** A time on a clock, without its zone: `2026-11-27 09:30`. */
  | { time: string };
