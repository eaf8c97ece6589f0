import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';

/**
 * A secret as keys of HMAC-SHA256, one for each signature header. Key objects: with the bytes as a key, Node.js took
 * 100 µs more for each delivery under load.
 */
export interface SigningKeys {
  /** For X-Service-Signature: the bytes of the secret. */
  plain: KeyObject;
  /** For webhook-signature: what follows `whsec_`, decoded from base64; the bytes of any other secret. */
  standard: KeyObject;
}

/** The present secret of an endpoint, and a staged one. */
export interface EndpointKeys {
  present: SigningKeys;
  /** `fromMs`: when the staged secret is promoted; null: on request. */
  next?: { keys: SigningKeys; fromMs: number | null };
}

/**
 * Both signature headers of a delivery sent at `nowMs`. While a secret is staged, the standard header carries the
 * signatures of both secrets, separated by a space, as Standard Webhooks specifies; the service header can carry only
 * one.
 */
export function signaturesAt(
  nowMs: number,
  { present, next }: EndpointKeys,
  id: string,
  timestamp: string,
  body: Buffer,
): { service: string; standard: string } {
  const isPromoted = next !== undefined && next.fromMs !== null && next.fromMs <= nowMs;
  const keys = isPromoted ? next.keys : present;
  const standard = standardSignature(keys, id, timestamp, body);
  return {
    service: serviceSignature(keys, body),
    standard:
      next === undefined || isPromoted ? standard : `${standard} ${standardSignature(next.keys, id, timestamp, body)}`,
  };
}

const standardPrefix = 'whsec_';

/** 192 bits, in the format of Standard Webhooks. */
export function generateSecret(): string {
  return standardPrefix + randomBytes(24).toString('base64');
}

/** `isLegacy`: the secret was set by a release that decoded only padded base64. */
export function signingKeys(secret: string, isLegacy = false): SigningKeys {
  const plain = createSecretKey(secret, 'utf8');
  const encoded = encodedKey(secret);
  const isDecoded = encoded !== undefined && (!isLegacy || isPadded(encoded));
  return { plain, standard: isDecoded ? createSecretKey(encoded, 'base64') : plain };
}

/**
 * Refuses a secret that promises a key of Standard Webhooks which the libraries cannot decode.
 *
 * @throws Refusal `invalid_request`
 */
export function requireDecodableSecret(secret: string): void {
  if (!secret.startsWith(standardPrefix) || encodedKey(secret) !== undefined) return;
  throw invalid('secret', rule('standard_secret'));
}

/** Whether the libraries of Standard Webhooks verify what an endpoint signs with this secret of an earlier release. */
export function verifiesElsewhere(legacySecret: string): boolean {
  if (!legacySecret.startsWith(standardPrefix)) return true;
  const encoded = encodedKey(legacySecret);
  return encoded !== undefined && isPadded(encoded);
}

/** The base64 in a secret of the Standard Webhooks format, with padding or without, as the libraries accept it. */
function encodedKey(secret: string): string | undefined {
  return new RegExp(`^${standardPrefix}([A-Za-z0-9+/]{2,}={0,2})$`).exec(secret)?.[1];
}

const isPadded = (encoded: string) => encoded.length % 4 === 0;

/** X-Service-Signature: hex HMAC-SHA256 of the raw body with the secret (interface, Headers on each delivery). */
export function serviceSignature({ plain }: SigningKeys, body: Buffer): string {
  return createHmac('sha256', plain).update(body).digest('hex');
}

/** webhook-signature of Standard Webhooks: `v1,` and base64 HMAC-SHA256 of `id.timestamp.body`. */
export function standardSignature({ standard }: SigningKeys, id: string, timestamp: string, body: Buffer): string {
  const mac = createHmac('sha256', standard).update(`${id}.${timestamp}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}
