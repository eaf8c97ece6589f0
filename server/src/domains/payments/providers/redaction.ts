import type { Credentials } from './provider.ts';

/** Errors of a provider's library lie under each other; beyond so many nothing new is said. */
const maxCauses = 5;

/**
 * What went wrong with a provider, fit to be logged and noted: a word for it and sentences down to the innermost cause,
 * without the objects that hang on errors of providers' libraries (requests, headers, payments with their client
 * secrets) and without anything secret that a text quotes.
 */
export class ProviderCallError extends Error {
  /** `timeout`, `http_503`, `UND_ERR_SOCKET`, or the provider's own word. */
  readonly code: string;

  constructor(error: unknown, credentials: Credentials) {
    const chain = causesOf(error);
    super(redactSecrets(messageOf(chain), credentials));
    this.name = 'ProviderTrouble';
    this.code = codeOf(chain);
  }
}

/**
 * A text in which the channel's secrets are struck out, and what providers let their holder do: the client secrets of
 * Stripe's payments, the tokens in the addresses Mollie calls.
 */
export function redactSecrets(text: string, { apiKey, apiSecret, webhookSecret }: Credentials): string {
  const secrets = [apiKey, apiSecret, webhookSecret].filter((secret) => secret !== null && secret !== '');
  return secrets
    .reduce<string>((struck, secret) => struck.replaceAll(secret as string, '[secret]'), text)
    .replace(/_secret_\w+/g, '_secret_[secret]')
    .replace(/\btoken=[\w%-]+/g, 'token=[secret]');
}

/** An error and what lies under it: Stripe's library puts that into `detail`, and into `exception` of what it finds there. */
function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < maxCauses; ) {
    chain.push(at);
    const { cause, detail, exception } = at as { cause?: unknown; detail?: unknown; exception?: unknown };
    at = cause ?? detail ?? exception;
  }
  return chain;
}

function messageOf(chain: readonly Error[]): string {
  const told = chain.map((error) => {
    const { code } = error as { code?: unknown };
    return `${error.name}: ${error.message}${typeof code === 'string' ? ` (${code})` : ''}`;
  });
  return told.join(' < ') || 'Something was thrown that is not an error.';
}

function codeOf(chain: readonly Error[]): string {
  for (const error of chain) {
    const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
    if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout';
    if (typeof code === 'string') return code;
    if (typeof statusCode === 'number') return `http_${statusCode}`;
  }
  const { type } = (chain[0] ?? {}) as { type?: unknown };
  return typeof type === 'string' ? type : 'no_answer';
}
