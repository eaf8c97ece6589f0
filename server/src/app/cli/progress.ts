import { printable, printableLines } from '../../../../sdk/src/printable.ts';
import { secondMs } from '../../core/clock.ts';

const reportEveryMs = 2 * secondMs;
const drawEveryMs = 200;
const barWidth = 24;

/** Writes a line of a result to standard output, safe to print: it may show what users or a database have chosen. */
export function printOnStandardOutput(line: string): void {
  process.stdout.write(`${printable(line)}\n`);
}

/**
 * Writes a line, or the stack of a defect, to standard error, safe to print. In a terminal, progress is drawn in place
 * there.
 */
export function noteOnStandardError(line: string): void {
  clearDrawing();
  process.stderr.write(`${printableLines(line)}\n`);
}

let isDrawn = false;

function clearDrawing(): void {
  if (isDrawn) process.stderr.write('\r\u001b[K');
  isDrawn = false;
}

function draw(line: string): void {
  process.stderr.write(`\r\u001b[K${printable(line).slice(0, (process.stderr.columns ?? 80) - 1)}`);
  isDrawn = true;
}

/**
 * Shows the progress of long work until it is stopped: a bar in a terminal, where `share` (0 to 1) is known, and
 * otherwise a line every two seconds. Short work is not reported.
 */
export function progressOf(
  note: (line: string) => void,
  line: () => string,
  share?: () => number,
): { stop: () => void } {
  const isTerminal = note === noteOnStandardError && process.stderr.isTTY === true;
  const timer = isTerminal
    ? setInterval(() => draw(share === undefined ? line() : `${barOf(share())} ${line()}`), drawEveryMs)
    : setInterval(() => note(line()), reportEveryMs);
  return {
    stop: () => {
      clearInterval(timer);
      if (isTerminal) clearDrawing();
    },
  };
}

/** `[######------------------]  25 %` */
export function barOf(share: number): string {
  const known = Math.min(1, Math.max(0, Number.isNaN(share) ? 0 : share));
  const full = Math.round(known * barWidth);
  return `[${'#'.repeat(full)}${'-'.repeat(barWidth - full)}] ${String(Math.round(known * 100)).padStart(3)} %`;
}
