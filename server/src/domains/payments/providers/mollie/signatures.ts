import { createHmac, timingSafeEqual } from 'node:crypto';

/** The token in the callback address of one payment: hex HMAC-SHA256, 64 characters. */
export function callbackToken(webhookSecret: string, key: string): string {
  // The prefix ensures that a token is never a valid signature of a body under the same secret.
  return hmac(webhookSecret, `florin-callback:${key}`);
}

export function isCallbackToken(token: string, webhookSecret: string, key: string): boolean {
  return isSame(token, callbackToken(webhookSecret, key));
}

/**
 * Verifies `X-Mollie-Signature` of next-gen webhooks: `sha256=` and the hex HMAC-SHA256 of the raw body. For one day
 * after the secret is changed at Mollie there are two signatures, one per secret; one valid signature is enough.
 */
export function isMollieSignature(header: string, webhookSecret: string, body: Buffer): boolean {
  const expected = hmac(webhookSecret, body);
  return header.split(',').some((signature) => isSame(signature.trim().replace(/^sha256=/, ''), expected));
}

function hmac(secret: string, content: string | Buffer): string {
  return createHmac('sha256', secret).update(content).digest('hex');
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
