import type { FastifyReply, FastifyRequest } from 'fastify';
import { livemodeMismatch, modeHeader, modeName, prefixOf } from '../../core/livemode.ts';
import type { Principal } from '../../core/principal.ts';
import { rule } from '../../core/refusal-rules.ts';
import type { Answer } from './route.ts';

/** Refuses (`livemode_mismatch`) a `livemode` in the query or the body that contradicts the key: it is a mistake. */
export function requireModeOf({ principal, query, body }: FastifyRequest): void {
  if (principal?.livemode === undefined) return;
  for (const input of [query, body]) {
    const livemode = livemodeOf(input);
    if (livemode === undefined || livemode === principal.livemode) continue;
    const [mode, prefix] = [modeName(principal.livemode), prefixOf(principal.livemode)];
    throw livemodeMismatch('livemode', rule('livemode_of_key', { mode, prefix, livemode: principal.livemode }));
  }
}

/** Names the mode of the caller's key in a header of every answer. */
export function nameMode(reply: FastifyReply, principal: Principal | undefined): void {
  if (principal?.livemode !== undefined) reply.header(modeHeader, modeName(principal.livemode));
}

/**
 * The header that names the mode of an answer, if it has one: that of the key, of the records in the answer, or that
 * which the query asks for.
 */
export function modeHeaders(
  principal: Principal | undefined,
  answer: Answer<unknown> = {},
  query?: unknown,
): Record<string, string> {
  const livemode = principal?.livemode ?? modeOfAnswer(answer) ?? livemodeOf(query);
  return livemode === undefined ? {} : { [modeHeader]: modeName(livemode) };
}

function modeOfAnswer({ data }: Answer<unknown>): boolean | undefined {
  if (!Array.isArray(data)) return livemodeOf(data);
  const [first, ...others] = new Set(data.map(livemodeOf));
  return others.length === 0 ? first : undefined;
}

function livemodeOf(input: unknown): boolean | undefined {
  const livemode = (input as { livemode?: unknown } | null | undefined)?.livemode;
  return typeof livemode === 'boolean' ? livemode : undefined;
}
