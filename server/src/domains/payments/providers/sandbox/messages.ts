import { createHmac, timingSafeEqual } from 'node:crypto';
import { isCurrency } from '../../../../core/currency.ts';
import { Refusal } from '../../../../core/errors.ts';
import { type FailureCode, failure, failureCodes } from '../failures.ts';
import type { NamedMoney, Outcome } from '../outcome.ts';
import type { Callback, MethodUpdate, ProviderCallback } from '../provider.ts';

/** A callback of the sandbox: its exact body and the signature. */
export interface SignedMessage {
  body: string;
  signature: string;
  /**
   * How long it is sent after the one before, in ms. Default: `callbackIntervalMs` or `app.sandbox.delay`, whichever is
   * shorter.
   */
  afterMs?: number;
}

/** `ATTEMPT_FAILED` is not final: the payer may try again. */
const messageStates = ['PENDING', 'ATTEMPT_FAILED', 'AUTHORIZED', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const;
export type MessageState = (typeof messageStates)[number];

/** The result of an operation as the sandbox reports it in an answer, a look-up or a callback. */
export interface SandboxResult {
  key: string;
  state: MessageState;
  failureCode: FailureCode | null;
  /** In minor units. */
  fee: number | null;
  /** In minor units. Absent in messages that were signed before this field existed. */
  amount?: number;
  currency: string;
  /** When an authorization ends. Callbacks have none. */
  captureBefore?: string;
}

/** Its value is the hex HMAC-SHA256 of the raw body with the channel's `webhookSecret`. */
const signatureHeader = 'x-sandbox-signature';

/** The sandbox's id of an operation. */
export function referenceOf(key: string): string {
  return `sbx_${key}`;
}

export function keyOfReference(reference: string): string | null {
  return reference.startsWith('sbx_') ? reference.slice(4) : null;
}

export function outcomeOf({ key, state, failureCode, fee, amount, currency, captureBefore }: SandboxResult): Outcome {
  const reference = referenceOf(key);
  const money: NamedMoney = { ...(amount !== undefined && { amount }), currency };
  switch (state) {
    case 'SUCCEEDED':
      return { kind: 'succeeded', reference, ...(fee !== null && { fee: { amount: fee, currency } }), money };
    case 'FAILED': {
      const code = failureCode ?? 'processing_error';
      return { kind: 'failed', reference, failure: failure(code, code), money };
    }
    case 'AUTHORIZED':
      return { kind: 'authorized', reference, money, captureBefore: captureBefore ?? null };
    case 'CANCELLED':
      return {
        kind: 'cancelled',
        reference,
        money,
        ...(failureCode !== null && { failure: failure(failureCode, failureCode) }),
      };
    default:
      return { kind: 'pending', reference };
  }
}

/** Signs a callback when its operation is recorded, so that sending it later needs no secret. */
export function signedMessage(result: SandboxResult, sequence: number, secret: string): SignedMessage {
  const reference = referenceOf(result.key);
  const body = JSON.stringify({ id: `${reference}-${sequence}`, reference, sequence, ...result });
  return { body, signature: signatureOf(Buffer.from(body), secret).toString('hex') };
}

/** Signs a callback about a payment method, or about the setup of one. */
export function signedMethodMessage(
  { key, of, reference }: Required<Omit<MethodUpdate, 'livemode'>>,
  secret: string,
): SignedMessage {
  const body = JSON.stringify({ id: `${reference}-changed`, key, of, reference });
  return { body, signature: signatureOf(Buffer.from(body), secret).toString('hex') };
}

/** A message about a dispute, or a warning of fraud. */
export interface DisputeMessage {
  of: 'DISPUTE' | 'FRAUD_WARNING';
  reference: string;
  chargeReference: string;
  /** Distinguishes the messages about one dispute. */
  sequence: number | string;
  /** Of a warning. */
  atMs?: number;
}

export function signedDisputeMessage({ sequence, ...told }: DisputeMessage, secret: string): SignedMessage {
  const body = JSON.stringify({ id: `${told.reference}-${sequence}`, ...told });
  return { body, signature: signatureOf(Buffer.from(body), secret).toString('hex') };
}

export function headersOf({ signature }: SignedMessage): Record<string, string> {
  return { 'content-type': 'application/json', [signatureHeader]: signature };
}

/**
 * Verifies a callback of the sandbox in constant time and parses it. Refuses every callback of a channel without a
 * secret.
 */
export function readSandboxCallback({ headers, body }: Callback, secret: string | null): ProviderCallback {
  if (secret === null || secret === '') {
    throw invalidCallback(
      'This channel has no webhookSecret to check callbacks with. Set one with POST /api/channel/modify.',
    );
  }
  const given = headers[signatureHeader];
  const isGenuine =
    typeof given === 'string' &&
    /^[0-9a-f]{64}$/.test(given) &&
    timingSafeEqual(Buffer.from(given, 'hex'), signatureOf(body, secret));
  if (!isGenuine) {
    throw invalidCallback(
      "X-Sandbox-Signature must be the hex HMAC-SHA256 of the exact body under the channel's webhookSecret.",
    );
  }
  const content = parseJson(body);
  const changed = methodMessageOf(content) ?? disputeMessageOf(content);
  if (changed !== undefined) return changed;
  const { id, result } = parseMessage(body);
  return { eventId: id, notice: { key: result.key, reference: referenceOf(result.key), outcome: outcomeOf(result) } };
}

function signatureOf(body: Buffer, secret: string): Buffer {
  return createHmac('sha256', secret).update(body).digest();
}

/** A message about a payment method; undefined: it is another one. */
function methodMessageOf(content: unknown): ProviderCallback | undefined {
  const { id, key, of, reference } = (content ?? {}) as Record<string, unknown>;
  if (of !== 'SETUP' && of !== 'METHOD') return undefined;
  if (![id, key, reference].every((text) => typeof text === 'string' && /^[a-z0-9_-]{1,100}$/.test(text)))
    return undefined;
  return { eventId: id as string, methodNotice: { key: key as string, reference: reference as string, of } };
}

/** A message about a dispute, or a warning of fraud; undefined: it is another one. */
function disputeMessageOf(content: unknown): ProviderCallback | undefined {
  const { id, of, reference, chargeReference, atMs } = (content ?? {}) as Record<string, unknown>;
  if (of !== 'DISPUTE' && of !== 'FRAUD_WARNING') return undefined;
  if (![id, reference, chargeReference].every((text) => typeof text === 'string' && /^[a-z0-9_-]{1,150}$/.test(text)))
    return undefined;
  const told = { reference: reference as string, chargeReference: chargeReference as string };
  if (of === 'DISPUTE') return { eventId: id as string, disputeNotice: told };
  return Number.isSafeInteger(atMs)
    ? { eventId: id as string, fraudWarning: { ...told, atMs: atMs as number } }
    : undefined;
}

/** Validates the body, because a valid signature does not make it well-formed. */
function parseMessage(body: Buffer): { id: string; result: SandboxResult } {
  const content = parseJson(body);
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
    throw invalidCallback('The body is not a callback of the sandbox; docs/guides/sandbox.md shows one.');
  }
  return {
    id,
    result: { key, state, failureCode, fee, ...(amount !== undefined && { amount }), currency } as SandboxResult,
  };
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function invalidCallback(message: string): Refusal {
  return new Refusal('callback_invalid', message);
}
