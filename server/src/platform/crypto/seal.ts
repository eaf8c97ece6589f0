import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keyring } from './keyring.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals secrets for storage with AES-256-GCM. Sealed bytes: the length of the key's id, the id, a nonce of 12 bytes,
 * a tag of 16, the ciphertext. Where a value is kept (`channel/0/5/apiKey`) is bound to it: moved elsewhere, it does
 * not open.
 */
export class Sealer {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** Seals `plain` with the current key, to be opened only as kept at `where`. */
  seal(plain: string, where: string): Buffer {
    const { id, secret } = this.#keys.current;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: tagBytes });
    cipher.setAAD(Buffer.from(where));
    const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([id.length]), Buffer.from(id), nonce, cipher.getAuthTag(), body]);
  }

  /** Opens what was sealed for `where`; throws when the key is gone, or the bytes were changed or moved. */
  open(sealed: Buffer, where: string): string {
    const nonceAt = 1 + (sealed[0] ?? 0);
    const tagAt = nonceAt + nonceBytes;
    const bodyAt = tagAt + tagBytes;
    if (sealed.length < bodyAt) throw new Error(`What is sealed at ${where} is cut short.`);
    const keyId = sealed.toString('utf8', 1, nonceAt);
    const key = this.#keys.find(keyId);
    if (key === undefined) throw new Error(`What is sealed at ${where} needs a key that is not in the keyring.`);
    const decipher = createDecipheriv(algorithm, key.secret, sealed.subarray(nonceAt, tagAt), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(where));
    decipher.setAuthTag(sealed.subarray(tagAt, bodyAt));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(bodyAt)), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new Error(`What is sealed at ${where} was changed or belongs elsewhere.`, { cause });
    }
  }
}
