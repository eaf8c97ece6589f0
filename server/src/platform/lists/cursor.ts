import { createHash } from 'node:crypto';
import { invalid } from '../../core/errors.ts';
import { rule } from '../../core/refusal-rules.ts';

const digestBytes = 9;

/** The forms of keys by which lists are ordered. */
export type KeyType = 'uuid' | 'bigint';

const keyForms: Record<KeyType, RegExp> = {
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  bigint: /^\d{1,16}$/,
};

/**
 * A cursor: a digest of the list and its filters, and the key below which the next rows are. It is opaque to callers,
 * but it is neither a secret nor a permission: a forged cursor shows only rows that the list shows anyway.
 */
export function cursorOf(list: string, filters: object, key: string): string {
  return Buffer.concat([digestOf(list, filters), Buffer.from(key)]).toString('base64url');
}

/** The key of a cursor; refused unless this list issued it under the same filters. */
export function keyOfCursor(list: string, filters: object, keyType: KeyType, cursor: string): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const key = bytes.subarray(digestBytes).toString();
  // Buffer.from ignores characters that are not base64url: only the issued spelling is accepted.
  if (bytes.toString('base64url') !== cursor || !keyForms[keyType].test(key)) {
    throw invalid('cursor', rule('cursor_of_list'));
  }
  if (!bytes.subarray(0, digestBytes).equals(digestOf(list, filters))) {
    throw invalid('cursor', rule('cursor_of_filters'));
  }
  return key;
}

/** The order of the filters makes no difference. */
function digestOf(list: string, filters: object): Buffer {
  const given = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([list, given]))
    .digest()
    .subarray(0, digestBytes);
}
