import type { DisputePage, DisputeReading, RefundReading } from './dispute.ts';
import type { Absent, MethodState, Outcome, SetupOutcome } from './outcome.ts';
import type { Credentials } from './provider.ts';

/** Further causes add no information. */
const maxCauses = 5;
const maxTextCharacters = 500;

/**
 * An outcome that can be logged, stored and shown: its texts without secrets and in one line, its cause a
 * `ProviderCallError`.
 */
export function redactedOutcome<Result extends Redactable>(result: Result, credentials: Credentials): Result {
  if (result.kind === 'unknown') return { ...result, cause: new ProviderCallError(result.cause, credentials) };
  if (!('failure' in result)) return result;
  const { code, providerCode, message } = result.failure;
  const failure = {
    code,
    providerCode: providerCode === null ? null : singleLine(providerCode),
    message: singleLine(redactSecrets(message, credentials)),
  };
  return { ...result, failure };
}

type Redactable = Outcome | SetupOutcome | MethodState | Absent | DisputeReading | DisputePage | RefundReading;

/** Makes a provider's text fit to be stored and shown: one line, well-formed Unicode, of bounded length. */
export function singleLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, maxTextCharacters)
    .toWellFormed();
}

/**
 * An error of a call to a provider that is safe to log and store: a code and the messages of the chain of causes. It
 * leaves out the objects that providers' libraries attach to errors (requests, headers, payments with their client
 * secrets).
 */
export class ProviderCallError extends Error {
  /** `timeout`, `http_503`, `UND_ERR_SOCKET`, or the provider's code. */
  readonly code: string;

  constructor(error: unknown, credentials: Credentials) {
    const causes = causesOf(error);
    super(redactSecrets(messageOf(causes), credentials));
    this.name = 'ProviderCallError';
    this.code = codeOf(causes);
  }
}

/**
 * Removes the channel's secrets from a text, and the secrets that providers put into payments and addresses: Stripe's
 * client secrets and the tokens in the callback addresses of Mollie payments.
 */
function redactSecrets(text: string, { apiKey, apiSecret, webhookSecret }: Credentials): string {
  const secrets = [apiKey, apiSecret, webhookSecret].filter((secret) => secret !== null && secret !== '');
  return secrets
    .reduce<string>((redacted, secret) => redacted.replaceAll(secret as string, '[secret]'), text)
    .replace(/_secret_\w+/g, '_secret_[secret]')
    .replace(/\btoken=[\w%-]+/g, 'token=[secret]');
}

/** An error and its causes. Stripe's library puts the cause into `detail`, and that error's cause into `exception`. */
function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let current = error; current instanceof Error && causes.length < maxCauses; ) {
    causes.push(current);
    const { cause, detail, exception } = current as { cause?: unknown; detail?: unknown; exception?: unknown };
    current = cause ?? detail ?? exception;
  }
  return causes;
}

function messageOf(causes: readonly Error[]): string {
  const messages = causes.map((error) => {
    const { code } = error as { code?: unknown };
    return `${error.name}: ${error.message}${typeof code === 'string' ? ` (${code})` : ''}`;
  });
  return messages.join(' < ') || 'Something was thrown that is not an error.';
}

function codeOf(causes: readonly Error[]): string {
  for (const error of causes) {
    const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
    if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout';
    if (typeof code === 'string') return code;
    if (typeof statusCode === 'number') return `http_${statusCode}`;
  }
  const { type } = (causes[0] ?? {}) as { type?: unknown };
  return typeof type === 'string' ? type : 'no_answer';
}
