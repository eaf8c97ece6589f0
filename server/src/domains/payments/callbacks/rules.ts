import { hourMs, minuteMs, secondMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { type FinalOutcome, isFinalOutcome } from '../processing/settlement.ts';
import type { CallbackNews, Outcome } from '../providers/provider.ts';

/** What is kept of a callback: all that it takes to settle it. */
export interface CallbackContent {
  /** How it names the operation: by our key, by the provider's own id, or by both. */
  key: string | null;
  reference: string | null;
  /** For the timeline; `changed` says only that something is to be looked up. */
  said: Outcome['kind'] | 'changed';
  outcome: FinalOutcome | null;
}

const longestEventId = 255;
const longestName = 255;
const longestNotice = 8 * 1024;

/**
 * What is kept of the news, or null where they are of something that Florin does not follow. Whoever has the channel's
 * secret may still have written anything: what could not be stored is refused.
 */
export function keptNotice({ eventId, notice }: CallbackNews): CallbackContent | null {
  if (eventId === '' || eventId.length > longestEventId || !isStorable(eventId)) {
    throw unstorable(`Its id must be text of at most ${longestEventId} characters.`);
  }
  if (notice === undefined) return null;
  const { key = null, reference = null, outcome } = notice;
  const kept: CallbackContent = {
    key,
    reference,
    said: outcome?.kind ?? 'changed',
    outcome: outcome !== undefined && isFinalOutcome(outcome) ? outcome : null,
  };
  const names = [key, reference, kept.outcome?.reference ?? null];
  if (names.some((name) => name !== null && name.length > longestName) || !isStorable(kept)) {
    throw unstorable(`What it names must be text of at most ${longestName} characters.`);
  }
  if (JSON.stringify(kept).length > longestNotice) throw unstorable('It says more than can be kept.');
  return kept;
}

/** Text without NUL or half a surrogate pair, wherever it stands: PostgreSQL can store no other. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
}

function unstorable(message: string): Refusal {
  return new Refusal('callback_invalid', `The callback cannot be kept. ${message}`);
}

/** A channel as it stands in the address of a callback. */
export type NamedChannel = { id: number } | { code: string };

/** Undefined: no channel can be named like this. */
export function channelNamed(text: string): NamedChannel | undefined {
  if (/^\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? { id: Number(text) } : undefined;
  return /^[A-Za-z0-9._-]{1,64}$/.test(text) ? { code: text } : undefined;
}

/**
 * When to look again for what a callback names: our own answer from the provider, which tells its id, may be on its way to
 * the disk, or be found by a look-up later.
 */
export const retryWaitsMs: readonly number[] = [5 * secondMs, 30 * secondMs, 5 * minuteMs, hourMs];

/** After so many tries before this one; undefined when all are used up. */
export function retryAt(tries: number, nowMs: number): number | undefined {
  const waitMs = retryWaitsMs[tries];
  return waitMs === undefined ? undefined : nowMs + waitMs;
}
