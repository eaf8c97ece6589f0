import { hash } from 'node:crypto';
import { invalid, Refusal } from '../../../core/errors.ts';
import { prefixOf } from '../../../core/livemode.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import { allScopes, defaultScopes, type Scope, scopes } from '../../../core/scopes.ts';
import { randomText } from '../../../platform/crypto/random-text.ts';

/** The format of a key: the prefix of its mode and 32 random characters. */
const bodyLength = 32;
const format = new RegExp(`^(${prefixOf(true)}|${prefixOf(false)})[A-Za-z0-9]{${bodyLength}}$`);

export function generateRandomKey(livemode: boolean): string {
  return prefixOf(livemode) + randomText(bodyLength);
}

export function hasKeyFormat(text: string): boolean {
  return format.test(text);
}

/** The hash by which a key is stored and cached. A key has 190 random bits, so a plain SHA-256 is enough. */
export function fingerprintOf(key: string): string {
  return hash('sha256', key, 'base64');
}

/** First four characters, `...`, last four. */
export function masked(key: string): string {
  return `${key.slice(0, 4)}...${key.slice(-4)}`;
}

/**
 * The scope of a new key, as it is stored. Refuses unknown scopes (400), `*` from a caller who is not an administrator
 * (403), and scopes that the caller does not hold (403). The default scope is granted to every caller, because a key
 * can never do more than its owner.
 */
export function grantedScope(requested: string | undefined, owner: Principal): string {
  if (requested === undefined) return defaultScopes.join(',');
  const names = scopeNamesIn(requested);
  if (names.includes(allScopes)) {
    if (owner.userType !== 'MERCHANT_USER') return allScopes;
    throw new Refusal('role_missing', rule('grants_all'), {
      field: 'scope',
    });
  }
  const missing = names.find((name) => !owner.scopes.has(name as Scope));
  if (missing !== undefined) {
    throw new Refusal('scope_missing', rule('scope_of_key', { scope: missing }), { field: 'scope' });
  }
  return names.join(',');
}

/** The scopes that a comma-separated list names, `*` among them. Refuses unknown ones. */
export function scopeNamesIn(list: string): string[] {
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  const unknown = names.find((name) => name !== allScopes && !scopes.includes(name as Scope));
  if (unknown === undefined) return names;
  throw invalid('scope', rule('unknown_scope', { given: JSON.stringify(unknown) }));
}

/** null: the key never expires. */
export function expiryOf(expiresTime: string | undefined, nowMs: number): Date | null {
  if (expiresTime === undefined) return null;
  const expiresAtMs = Date.parse(expiresTime);
  if (!(expiresAtMs > nowMs)) throw invalid('expiresTime', rule('future_time'));
  return new Date(expiresAtMs);
}
