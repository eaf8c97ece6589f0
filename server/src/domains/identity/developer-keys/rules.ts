import { hash } from 'node:crypto';
import { invalid, Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { allScopes, defaultScopes, type Scope, scopes } from '../../../core/scopes.ts';
import { randomText } from '../../../platform/crypto/random-text.ts';

/** The interface's form of a key: this prefix and 32 random characters. */
const prefix = 'sk_live_';
const bodyLength = 32;
const form = new RegExp(`^${prefix}[A-Za-z0-9]{${bodyLength}}$`);

export function drawKey(): string {
  return prefix + randomText(bodyLength);
}

export function looksLikeKey(text: string): boolean {
  return form.test(text);
}

/** Under what a key is kept and remembered. It has 190 random bits, so one plain SHA-256 is enough. */
export function fingerprintOf(key: string): string {
  return hash('sha256', key, 'base64');
}

/** First four characters, `...`, last four (interface, Developer key). */
export function masked(key: string): string {
  return `${key.slice(0, 4)}...${key.slice(-4)}`;
}

/**
 * The scope that a key is granted, as it is kept. Words nobody knows are refused (400), `*` from anyone but an
 * administrator, and a scope the owner does not hold (403). What is granted by default is the interface's to say; a
 * key of an owner who holds less than that can still do no more than its owner.
 */
export function grantedScope(asked: string | undefined, owner: Principal): string {
  if (asked === undefined) return defaultScopes.join(',');
  const words = [...new Set(asked.split(',').map((word) => word.trim()))];
  const unknown = words.find((word) => word !== allScopes && !scopes.includes(word as Scope));
  if (unknown !== undefined) {
    throw invalid('scope', `scope must name scopes, separated by commas; ${JSON.stringify(unknown)} is not one.`);
  }
  if (words.includes(allScopes)) {
    if (owner.userType !== 'MERCHANT_USER') return allScopes;
    throw new Refusal('role_missing', 'Only a PLATFORM_ADMIN or a MERCHANT_ADMIN may grant the scope *.', {
      field: 'scope',
    });
  }
  const beyond = words.find((word) => !owner.scopes.has(word as Scope));
  if (beyond !== undefined) {
    throw new Refusal('scope_missing', `You do not hold the scope ${beyond}, so a key of yours cannot either.`, {
      field: 'scope',
      details: { scope: beyond },
    });
  }
  return words.join(',');
}

/** When a key is to expire: in the future, or never. */
export function expiryOf(expiresTime: string | undefined, nowMs: number): Date | null {
  if (expiresTime === undefined) return null;
  const expiresAtMs = Date.parse(expiresTime);
  if (!(expiresAtMs > nowMs)) throw invalid('expiresTime', 'expiresTime must be a time in the future.');
  return new Date(expiresAtMs);
}
