import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** A symmetric key of 256 bits, under the name that signed and sealed values carry. */
export interface Key {
  id: string;
  secret: KeyObject;
}

const keyBytes = 32;

/**
 * The keys that are live at once: the first signs and seals, every one verifies and opens. To rotate, put a new key in
 * front and take the old one away when nothing it made is alive any more.
 */
export class Keyring {
  readonly current: Key;
  readonly #byId: ReadonlyMap<string, Key>;

  constructor(keys: readonly [Key, ...Key[]]) {
    this.current = keys[0];
    this.#byId = new Map(keys.map((key) => [key.id, key]));
    if (this.#byId.size < keys.length) throw new Error('Two keys have the same id.');
  }

  find(id: string): Key | undefined {
    return this.#byId.get(id);
  }
}

/**
 * Reads `kid:base64,kid2:base64`, each key 32 bytes (settings `app.jwt.keys` and `app.encryption.keys`). What is wrong
 * is told without repeating a key.
 */
export function parseKeyring(text: string): Keyring {
  const [first, ...others] = text.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  return new Keyring([first as Key, ...others]);
}

function parseKey(entry: string, position: number): Key {
  const [id = '', encoded = ''] = entry.split(/:(.*)/s);
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || encoded === '') {
    throw new Error(
      `Key ${position} must read id:base64, the id being 1 to 32 letters, digits, dashes or underscores.`,
    );
  }
  const bytes = Buffer.from(encoded, 'base64');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded) || bytes.length !== keyBytes) {
    throw new Error(`Key ${position} (${id}) must be ${keyBytes} bytes in base64.`);
  }
  return { id, secret: createSecretKey(bytes) };
}

/** A fresh keyring of one key, as the text that `parseKeyring` reads. */
export function freshKeyring(): string {
  return `${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`;
}
