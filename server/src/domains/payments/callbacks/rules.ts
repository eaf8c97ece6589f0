import { hourMs, minuteMs, secondMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { MoneyNotice } from '../disputes/notices.ts';
import { type FinalOutcome, isFinalOutcome } from '../operations/effect.ts';
import type { DisputeNotice } from '../providers/dispute.ts';
import type { Outcome } from '../providers/outcome.ts';
import type { MethodUpdate, ProviderCallback } from '../providers/provider.ts';

/** The content of a callback that settling it needs. */
export interface CallbackContent {
  /** The operation, by our idempotency key, by the provider's own id, or by both. */
  key: string | null;
  reference: string | null;
  /** The outcome reported, for the timeline. `changed`: the operation must be looked up. */
  said: Outcome['kind'] | 'changed';
  outcome: FinalOutcome | null;
  /** The mode that the callback names. */
  livemode?: boolean;
  /** The callback is about a payment method: `reference` is of its setup, of the method or of its customer. */
  of?: MethodUpdate['of'];
  /** It may also be about money that Florin did not move, or is about nothing else (`reference` is null then). */
  money?: MoneyNotice;
}

/** Limits in characters. */
const maximumEventId = 255;
const maximumReference = 255;
const maximumContent = 8 * 1024;

/**
 * What to store of a verified callback; null if it is about something that Florin does not follow. Refuses
 * (`callback_invalid`) what cannot be stored: a valid signature does not make the content well-formed.
 */
export function contentOf(callback: ProviderCallback): CallbackContent | null {
  const { eventId, notice, methodNotice } = callback;
  if (eventId === '' || eventId.length > maximumEventId || !isStorable(eventId)) {
    throw unstorable(`Its id must be text of at most ${maximumEventId} characters.`);
  }
  const money = moneyNoticeOf(callback);
  if (notice === undefined) {
    if (methodNotice !== undefined) return checked(contentOfMethod(methodNotice));
    return money && checked({ key: null, reference: null, said: 'changed', outcome: null, money });
  }
  const { key = null, reference = null, outcome, livemode } = notice;
  const content: CallbackContent = {
    key,
    reference,
    said: outcome?.kind ?? 'changed',
    outcome: outcome !== undefined && isFinalOutcome(outcome) ? withoutKept(outcome) : null,
    ...(livemode !== undefined && { livemode }),
    ...(money && { money }),
  };
  return checked(content);
}

/** A change of a payment method, which a look-up or reading the method finds. */
function contentOfMethod({ key, reference, of, livemode }: MethodUpdate): CallbackContent {
  const content = { key: key ?? null, reference, said: 'changed', outcome: null, of } as const;
  return { ...content, ...(livemode !== undefined && { livemode }) };
}

/** What was disputed, or may be, or was refunded elsewhere: it is read at the provider. */
function moneyNoticeOf(callback: ProviderCallback): MoneyNotice | null {
  const { disputeNotice, refundNotice, fraudWarning, chargeNotice } = callback;
  if (disputeNotice !== undefined) return noticeOf('DISPUTE', disputeNotice);
  if (refundNotice !== undefined) return noticeOf('REFUND', refundNotice);
  if (fraudWarning !== undefined) return { ...noticeOf('FRAUD_WARNING', fraudWarning), atMs: fraudWarning.atMs };
  return chargeNotice === undefined
    ? null
    : noticeOf('CHARGE', { ...chargeNotice, chargeReference: chargeNotice.reference });
}

function noticeOf(of: MoneyNotice['of'], { reference, chargeReference, livemode }: DisputeNotice): MoneyNotice {
  return {
    of,
    reference,
    ...(chargeReference !== undefined && { charge: chargeReference }),
    ...(livemode !== undefined && { livemode }),
  };
}

/** What a charge has kept can charge the customer, and is sealed: a look-up brings it. */
function withoutKept(outcome: FinalOutcome): FinalOutcome {
  if (outcome.kind !== 'succeeded') return outcome;
  const { kept: _, customerReference: __, ...rest } = outcome;
  return rest;
}

function checked(content: CallbackContent): CallbackContent {
  const { key, reference, money } = content;
  const identifiers = [
    key,
    reference,
    money?.reference ?? null,
    money?.charge ?? null,
    content.outcome?.reference ?? null,
  ];
  if (identifiers.some((text) => text !== null && text.length > maximumReference) || !isStorable(content)) {
    throw unstorable(`Its keys and references must be text of at most ${maximumReference} characters.`);
  }
  if (JSON.stringify(content).length > maximumContent) throw unstorable('Its content is too long.');
  return content;
}

/** Whether all text is without NUL and lone surrogates, which PostgreSQL cannot store. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable);
}

function unstorable(message: string): Refusal {
  return new Refusal('callback_invalid', `The callback cannot be stored. ${message}`);
}

/** The `channel` of a callback's path: digits are an id, any other text is a code. Undefined if it can be neither. */
export function parseChannelParam(text: string): { id: number } | { code: string } | undefined {
  if (/^\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? { id: Number(text) } : undefined;
  return /^[A-Za-z0-9._-]{1,64}$/.test(text) ? { code: text } : undefined;
}

/**
 * Waits before each retry of a callback whose operation is unknown: the answer that contains the provider's reference
 * may not be recorded yet, or a later look-up may find it.
 */
export const retryWaitsMs: readonly number[] = [5 * secondMs, 30 * secondMs, 5 * minuteMs, hourMs];

/** When the next try is due, after this number of tries; undefined after the last one. */
export function retryAt(tries: number, nowMs: number): number | undefined {
  const waitMs = retryWaitsMs[tries];
  return waitMs === undefined ? undefined : nowMs + waitMs;
}
