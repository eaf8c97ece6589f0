import { secondMs } from '../../core/clock.ts';

const reportEveryMs = 2 * secondMs;

/** Notes a line every two seconds until it is stopped; short work is not reported. */
export function progressOf(note: (line: string) => void, line: () => string): { stop: () => void } {
  const timer = setInterval(() => note(line()), reportEveryMs);
  return { stop: () => clearInterval(timer) };
}
