import { createHmac, timingSafeEqual } from 'node:crypto';
import { isCurrency } from '../../../../core/currency.ts';
import { Refusal } from '../../../../core/errors.ts';
import { type FailureCode, failure, failureCodes } from '../failures.ts';
import type { Callback, CallbackNews, NamedMoney, Outcome } from '../provider.ts';

/** A callback that the sandbox will send: the exact body, and its signature. */
export interface Message {
  body: string;
  signature: string;
}

/** What a callback can tell. `ATTEMPT_FAILED` is not the end: the payer may try again. */
const messageStates = ['PENDING', 'ATTEMPT_FAILED', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type MessageState = (typeof messageStates)[number];

/** How an operation stands, as the sandbox tells it: in an answer, by a look-up, or in a callback. */
export interface Told {
  key: string;
  state: MessageState;
  failureCode: FailureCode | null;
  /** In minor units. */
  fee: number | null;
  /** In minor units; messages that were signed before there was one have none. */
  amount?: number;
  currency: string;
}

/** Of a callback's request: hex HMAC-SHA256 of the raw body with the channel's `webhookSecret`. */
const signatureHeader = 'x-sandbox-signature';

/** The sandbox's own id of an operation: one of its key. */
export function referenceOf(key: string): string {
  return `sbx_${key}`;
}

export function keyOfReference(reference: string): string | null {
  return reference.startsWith('sbx_') ? reference.slice(4) : null;
}

export function outcomeOf({ key, state, failureCode, fee, amount, currency }: Told): Outcome {
  const reference = referenceOf(key);
  const money: NamedMoney = { ...(amount !== undefined && { amount }), currency };
  switch (state) {
    case 'SUCCEEDED':
      return { kind: 'succeeded', reference, ...(fee !== null && { fee: { amount: fee, currency } }), money };
    case 'FAILED': {
      const code = failureCode ?? 'processing_error';
      return { kind: 'failed', reference, failure: failure(code, code), money };
    }
    case 'CANCELLED':
      return { kind: 'cancelled', reference, money };
    default:
      return { kind: 'pending', reference };
  }
}

/** Signed at once, while the secret is at hand: what is kept to be sent later needs none. */
export function signedMessage(told: Told, sequence: number, secret: string): Message {
  const reference = referenceOf(told.key);
  const body = JSON.stringify({ id: `${reference}-${sequence}`, reference, sequence, ...told });
  return { body, signature: signatureOf(Buffer.from(body), secret).toString('hex') };
}

export function headersOf({ signature }: Message): Record<string, string> {
  return { 'content-type': 'application/json', [signatureHeader]: signature };
}

/** A callback of ours, its signature checked in constant time. Without a secret none can be: it is refused. */
export function readMessage({ headers, body }: Callback, secret: string | null): CallbackNews {
  if (secret === null || secret === '') {
    throw notOurs('This channel has no webhookSecret to check callbacks with. Set one with POST /api/channel/modify.');
  }
  const given = headers[signatureHeader];
  const isGenuine =
    typeof given === 'string' &&
    /^[0-9a-f]{64}$/.test(given) &&
    timingSafeEqual(Buffer.from(given, 'hex'), signatureOf(body, secret));
  if (!isGenuine) {
    throw notOurs(
      "X-Sandbox-Signature must be the hex HMAC-SHA256 of the exact body under the channel's webhookSecret.",
    );
  }
  const { id, told } = contentOf(body);
  return { eventId: id, notice: { key: told.key, reference: referenceOf(told.key), outcome: outcomeOf(told) } };
}

function signatureOf(body: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update(body).digest();
}

/** Whoever has the secret may still have written anything. */
function contentOf(body: Buffer): { id: string; told: Told } {
  const content = jsonOf(body);
  const { id, key, state, failureCode, fee, amount, currency } = (content ?? {}) as Record<string, unknown>;
  if (
    typeof id !== 'string' ||
    !/^[a-z0-9_-]{1,100}$/.test(id) ||
    typeof key !== 'string' ||
    !/^[a-z0-9_-]{1,64}$/.test(key) ||
    !messageStates.includes(state as MessageState) ||
    !(failureCode === null || (typeof failureCode === 'string' && Object.hasOwn(failureCodes, failureCode))) ||
    !(fee === null || (Number.isSafeInteger(fee) && (fee as number) > 0)) ||
    !(amount === undefined || (Number.isSafeInteger(amount) && (amount as number) > 0)) ||
    !(typeof currency === 'string' && isCurrency(currency))
  ) {
    throw notOurs('The body is not a message of the sandbox; docs/guides/sandbox.md shows one.');
  }
  return { id, told: { key, state, failureCode, fee, ...(amount !== undefined && { amount }), currency } as Told };
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function notOurs(message: string): Refusal {
  return new Refusal('callback_invalid', message);
}
