import { printableJson } from '../../../../sdk/src/printable.ts';

/** What a restore has in common with another one. */
export interface RestoreResult {
  /** Where it is restored; null after a trial, which leaves nothing. */
  into: string | null;
  elapsedMs: number;
  /** Claims that the restored database breaks. */
  broken: string[];
  /** What remains for the operator, one line each. */
  next: string[];
}

export interface RestoreReport {
  asJson: boolean;
  print: (line: string) => void;
  /** What is restored. */
  state: string;
  /** What was found true, if no claim is broken. */
  verified: string;
  /** Further lines. */
  found?: readonly string[];
}

/** The end of a restore: one JSON object, or lines for a person. */
export function reportRestore(
  restored: RestoreResult,
  { asJson, print, state, verified, found = [] }: RestoreReport,
): void {
  if (asJson) {
    print(printableJson(restored));
    return;
  }
  const { into, elapsedMs, broken, next } = restored;
  print(`${into === null ? 'restorable:' : `restored  ${into}:`} ${state}, in ${elapsedMs} ms`);
  for (const claim of broken) print(`BROKEN    ${claim}`);
  if (broken.length === 0) print(`verified  ${verified}`);
  for (const line of found) print(line);
  for (const step of next) print(`next      ${step}`);
}

/** `1 row`, `1,200 rows`. */
export function countOf(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
