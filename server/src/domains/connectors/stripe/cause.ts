import Stripe from 'stripe';
import type { Credentials } from '../connector.ts';

/**
 * What went wrong, fit to be logged and noted: a word for it and a sentence, without the objects that hang on errors of
 * Stripe's library (requests, headers, payments with their client secrets) and without anything secret that a text quotes.
 */
export class StripeTrouble extends Error {
  /** `timeout`, `http_503`, `UND_ERR_SOCKET`, `idempotency_key_in_use`. */
  readonly code: string;

  constructor(error: unknown, credentials: Credentials) {
    super(withoutSecrets(sentencesOf(error), credentials));
    this.name = 'StripeTrouble';
    this.code = wordOf(error);
  }
}

/** A text in which the channel's secrets and the client secrets of payments are struck out. */
export function withoutSecrets(text: string, { apiKey, apiSecret, webhookSecret }: Credentials): string {
  const secrets = [apiKey, apiSecret, webhookSecret].filter((secret) => secret !== null && secret !== '');
  return secrets
    .reduce<string>((struck, secret) => struck.replaceAll(secret as string, '[secret]'), text)
    .replace(/_secret_\w+/g, '_secret_[secret]');
}

function wordOf(error: unknown): string {
  for (const at of chainOf(error)) {
    const { code, statusCode } = at as { code?: unknown; statusCode?: unknown };
    if (at.name === 'TimeoutError' || at.name === 'AbortError') return 'timeout';
    if (typeof code === 'string') return code;
    if (typeof statusCode === 'number') return `http_${statusCode}`;
  }
  return error instanceof Stripe.errors.StripeError ? error.type : 'no_answer';
}

function sentencesOf(error: unknown): string {
  const told = chainOf(error).map(({ name, message }) => `${name}: ${message}`);
  return told.join(' < ') || 'Something was thrown that is not an error.';
}

/** An error and what lies under it: Stripe's library puts that into `detail`, and into `exception` of what it finds there. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; ) {
    chain.push(at);
    const { cause, detail, exception } = at as { cause?: unknown; detail?: unknown; exception?: unknown };
    at = cause ?? detail ?? exception;
  }
  return chain;
}
