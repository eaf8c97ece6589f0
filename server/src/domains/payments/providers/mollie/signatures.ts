import { createHmac, timingSafeEqual } from 'node:crypto';

/** What stands in a callback address beside the key: hex HMAC-SHA256, 64 characters, good for this payment alone. */
export function callbackToken(webhookSecret: string, key: string): string {
  // The prefix keeps it from being the signature of some body under the same secret.
  return hmac(webhookSecret, `florin-callback:${key}`);
}

export function isCallbackToken(token: string, webhookSecret: string, key: string): boolean {
  return isSame(token, callbackToken(webhookSecret, key));
}

/**
 * `X-Mollie-Signature` of next-gen webhooks: `sha256=` and the hex HMAC-SHA256 of the raw body. For a day after the secret
 * was changed at Mollie there are two, one with each secret; either is enough.
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
