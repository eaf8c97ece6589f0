import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** A symmetric key of 256 bits, with the id that signed and encrypted values contain. */
export interface Key {
  id: string;
  secret: KeyObject;
}

const keyBytes = 32;

/**
 * A list of keys: the first signs and encrypts, all verify and decrypt. To rotate, add a new key in front and remove
 * the old one when nothing depends on it any more. A lost key keeps its id in the list, which records that its values
 * are given up.
 */
export class Keyring {
  readonly current: Key;
  readonly #byId: ReadonlyMap<string, Key>;
  readonly #lost: ReadonlySet<string>;

  constructor(keys: readonly [Key, ...Key[]], lost: readonly string[] = []) {
    this.current = keys[0];
    this.#byId = new Map(keys.map((key) => [key.id, key]));
    this.#lost = new Set(lost);
    if (new Set([...this.#byId.keys(), ...lost]).size < keys.length + lost.length) {
      throw new Error('Two keys have the same id.');
    }
  }

  /** All keys, as `parseKeyring` reads them: for another process of this node, never for a log. */
  toText(): string {
    const keys = [...this.#byId.values()].map(({ id, secret }) => `${id}:${secret.export().toString('base64')}`);
    return [...keys, ...[...this.#lost].map((id) => `${id}:${lostMark}`)].join(',');
  }

  find(id: string): Key | undefined {
    return this.#byId.get(id);
  }

  /** Whether the key with this id is declared lost. */
  isLost(id: string): boolean {
    return this.#lost.has(id);
  }
}

/** Written in place of a lost key. */
const lostMark = 'lost';

/**
 * Reads `kid:base64,kid2:base64,kid3:lost`, each key 32 bytes (settings `app.jwt.keys` and `app.encryption.keys`).
 * Errors never contain a key.
 */
export function parseKeyring(text: string): Keyring {
  const entries = text.split(',').map((entry, index) => parseKey(entry.trim(), index + 1));
  const keys = entries.filter((entry) => typeof entry !== 'string');
  const lost = entries.filter((entry) => typeof entry === 'string');
  const [first] = entries;
  if (first === undefined || typeof first === 'string') throw new Error('Key 1 signs and seals, so it cannot be lost.');
  return new Keyring([first, ...keys.slice(1)], lost);
}

/** A key, or only the id of a lost one. */
function parseKey(entry: string, position: number): Key | string {
  const [id = '', encoded = ''] = entry.split(/:(.*)/s);
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(id) || encoded === '') {
    throw new Error(
      `Key ${position} must read id:base64, the id being 1 to 32 letters, digits, dashes or underscores.`,
    );
  }
  if (encoded === lostMark) return id;
  const bytes = Buffer.from(encoded, 'base64');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded) || bytes.length !== keyBytes) {
    throw new Error(`Key ${position} (${id}) must be ${keyBytes} bytes in base64.`);
  }
  return { id, secret: createSecretKey(bytes) };
}

/** Generates a keyring with one key, as text for `parseKeyring`. */
export function freshKeyring(): string {
  return `${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`;
}
