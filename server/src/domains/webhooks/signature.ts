import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** An endpoint's secret, ready to sign with. */
export interface SigningKeys {
  /** Of X-Service-Signature: the secret's own bytes. */
  plain: KeyObject;
  /** Of webhook-signature: what follows `whsec_`, decoded; or the secret's own bytes. */
  standard: KeyObject;
}

const standardPrefix = 'whsec_';

export function signingKeys(secret: string): SigningKeys {
  const plain = createSecretKey(secret, 'utf8');
  const decoded = decodedOf(secret);
  return { plain, standard: decoded === undefined ? plain : createSecretKey(decoded) };
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
  return createHmac('sha256', plain).update(body).digest('hex');
}

/** webhook-signature of Standard Webhooks: `v1,` and base64 HMAC-SHA256 of `id.timestamp.body`. */
export function standardSignature({ standard }: SigningKeys, id: string, timestamp: string, body: Buffer): string {
  return `v1,${createHmac('sha256', standard).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}
