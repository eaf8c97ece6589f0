import type { Credentials } from '../connector.ts';

/**
 * What went wrong, fit to be logged: names, messages and codes down to the innermost cause, without the objects that hang
 * on them (requests, sockets) and without anything secret that a text may quote.
 */
export function causeWithoutSecrets(error: unknown, credentials: Credentials): Error {
  const told: string[] = [];
  for (let at = error; at instanceof Error && told.length < 4; at = at.cause) {
    const { code } = at as { code?: unknown };
    told.push(`${at.name}: ${at.message}${typeof code === 'string' ? ` (${code})` : ''}`);
  }
  return new Error(withoutSecrets(told.join(' < ') || 'Something was thrown that is not an error.', credentials));
}

/** A text in which the channel's secrets, and the tokens made from them for callback addresses, are struck out. */
export function withoutSecrets(text: string, { apiKey, apiSecret, webhookSecret }: Credentials): string {
  const secrets = [apiKey, apiSecret, webhookSecret].filter((secret) => secret !== null && secret !== '');
  return secrets
    .reduce<string>((struck, secret) => struck.replaceAll(secret as string, '[secret]'), text)
    .replace(/\btoken=[\w%-]+/g, 'token=[secret]');
}
