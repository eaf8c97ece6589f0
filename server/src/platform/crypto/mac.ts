import { createHmac } from 'node:crypto';
import type { Key } from './keyring.ts';

const tagBytes = 16;

/**
 * Authenticates a text: HMAC-SHA256, of which 16 bytes are kept. The bytes are: the length of the key's id, the id, the
 * tag. About 3 µs for a kilobyte.
 */
export function macOf(text: string, key: Key): Buffer {
  return macOfParts([text], key);
}

/** The same of a text whose parts follow each other. Those that are bytes already need not be made again. */
export function macOfParts(parts: readonly (string | Uint8Array)[], { id, secret }: Key): Buffer {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  const tag = hmac.digest();
  const mac = Buffer.allocUnsafe(1 + id.length + tagBytes);
  mac[0] = id.length;
  mac.write(id, 1, 'latin1');
  tag.copy(mac, 1 + id.length, 0, tagBytes);
  return mac;
}

/** The id of the key that made these bytes. They may be forged: only a check under that key tells. */
export const keyIdOfMac = (mac: Buffer): string => mac.toString('latin1', 1, 1 + (mac[0] ?? 0));
