import { modeHeader, modeName, requireModeOfKey } from '../../core/livemode.ts';
import type { Principal } from '../../core/principal.ts';
import type { Answer } from './route.ts';

interface ModedInput {
  query: unknown;
  body: unknown;
}

/** A key has a mode, so a `livemode` that contradicts it is a mistake. Refused with `livemode_mismatch`. */
export function requireModeOf(principal: Principal, { query, body }: ModedInput): void {
  if (principal.livemode === undefined) return;
  for (const input of [query, body]) {
    const livemode = livemodeOf(input);
    if (livemode !== undefined) requireModeOfKey(principal, livemode, 'livemode', 'what it asks for');
  }
}

/** The header that names the mode of an answer, if it has one: that of the key, or of the records in the answer. */
export function modeHeaders(principal: Principal | undefined, answer?: Answer<unknown>): Record<string, string> {
  const livemode = principal?.livemode ?? (answer && modeOfAnswer(answer));
  return livemode === undefined ? {} : { [modeHeader]: modeName(livemode) };
}

function modeOfAnswer({ data, json }: Answer<unknown>): boolean | undefined {
  // The records that are sent as JSON begin with their id and their mode.
  if (json !== undefined) return /^\{"id":"\w+","livemode":(true|false)/.exec(json)?.[1]?.startsWith('t');
  if (!Array.isArray(data)) return livemodeOf(data);
  const [first, ...others] = new Set(data.map(livemodeOf));
  return others.length === 0 ? first : undefined;
}

function livemodeOf(input: unknown): boolean | undefined {
  const livemode = (input as { livemode?: unknown } | null | undefined)?.livemode;
  return typeof livemode === 'boolean' ? livemode : undefined;
}
