import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Keyring } from './keyring.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts secrets for storage with AES-256-GCM. The sealed bytes are: the length of the key's id, the id, a nonce of
 * 12 bytes, a tag of 16 bytes, the ciphertext. The place of storage (`channel/0/5/apiKey`) is the associated data: a
 * value that was moved to another place cannot be decrypted.
 */
export class Sealer {
  readonly #keys: Keyring;

  constructor(keys: Keyring) {
    this.#keys = keys;
  }

  /** Encrypts `plain`, bytes or a text, with the current key, bound to its associated data. */
  seal(plain: string | Buffer, associatedData: string): Buffer {
    const { id, secret } = this.#keys.current;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: tagBytes });
    cipher.setAAD(Buffer.from(associatedData));
    const body = Buffer.concat([cipher.update(typeof plain === 'string' ? Buffer.from(plain) : plain), cipher.final()]);
    return Buffer.concat([Buffer.from([id.length]), Buffer.from(id), nonce, cipher.getAuthTag(), body]);
  }

  /** Whether the key of this value is there. */
  has(sealed: Buffer): boolean {
    return this.#keys.find(keyIdOf(sealed)) !== undefined;
  }

  /** Whether the key of this value is declared lost, so that no one can open it any more. */
  isLost(sealed: Buffer): boolean {
    return this.#keys.isLost(keyIdOf(sealed));
  }

  /** The id of the key that seals now. */
  get currentKeyId(): string {
    return this.#keys.current.id;
  }

  /**
   * Decrypts a text that was sealed with this associated data. Throws when the key is missing, or the bytes were
   * changed or moved.
   */
  open(sealed: Buffer, associatedData: string): string {
    return this.openBytes(sealed, associatedData).toString('utf8');
  }

  /** As `open`, for bytes. */
  openBytes(sealed: Buffer, associatedData: string): Buffer {
    const nonceAt = 1 + (sealed[0] ?? 0);
    const tagAt = nonceAt + nonceBytes;
    const bodyAt = tagAt + tagBytes;
    if (sealed.length < bodyAt) throw new Error(`What is sealed at ${associatedData} is cut short.`);
    const key = this.#keys.find(keyIdOf(sealed));
    if (key === undefined)
      throw new Error(`What is sealed at ${associatedData} needs a key that is not in the keyring.`);
    const decipher = createDecipheriv(algorithm, key.secret, sealed.subarray(nonceAt, tagAt), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(associatedData));
    decipher.setAuthTag(sealed.subarray(tagAt, bodyAt));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(bodyAt)), decipher.final()]);
    } catch (cause) {
      throw new Error(`What is sealed at ${associatedData} was changed or belongs elsewhere.`, { cause });
    }
  }
}

/** The first byte of a sealed value is the length of the key id that follows. */
const keyIdOf = (sealed: Buffer) => sealed.toString('utf8', 1, 1 + (sealed[0] ?? 0));
