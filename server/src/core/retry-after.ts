import { secondMs } from './clock.ts';

/**
 * The wait that a header `Retry-After` asks for (RFC 9110, section 10.2.3): seconds or a date. Anything else is
 * ignored.
 */
export function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  if (/^\d{1,15}$/.test(trimmed)) return Number(trimmed) * secondMs;
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(trimmed)) return undefined;
  const at = Date.parse(trimmed);
  return Number.isNaN(at) ? undefined : at - nowMs;
}
