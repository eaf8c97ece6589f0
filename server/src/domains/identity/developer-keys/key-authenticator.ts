import type { Clock } from '../../../core/clock.ts';
import { Refusal, type RefusalType } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { type BrokenRule, rule } from '../../../core/refusal-rules.ts';
import { keyHoldsAll, scopesOfKey } from '../../../core/scopes.ts';
import type { Caches } from '../../../platform/postgres/caches.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { principalOfAccount } from '../sessions/account.ts';
import { type LiveCredential, LiveCredentials } from '../sessions/live-credentials.ts';
import { addressMatcher } from './allowed-addresses.ts';
import { fingerprintOf, hasKeyFormat } from './rules.ts';
import { findKnownKey, liveKeys, recordLastUses } from './statements.ts';

export interface KeyAuthenticatorOptions {
  database: Database;
  caches: Pick<Caches, 'readThrough'>;
  clock: Clock;
  logError: (error: unknown, message: string) => void;
  /** Called for a key that nobody has. */
  onUnknown: () => void;
}

interface KnownKey extends LiveCredential<number> {
  isLive: boolean;
  /** Undefined: from anywhere. */
  isAllowedFrom: ((address: string) => boolean) | undefined;
}

/** Authenticates developer keys, from a cache of keys that exist. */
export class KeyAuthenticator {
  readonly #clock: Clock;
  readonly #onUnknown: () => void;
  readonly #known: LiveCredentials<number, KnownKey>;
  #unknown = 0;

  constructor({ database, caches, clock, logError, onUnknown }: KeyAuthenticatorOptions) {
    this.#clock = clock;
    this.#onUnknown = onUnknown;
    this.#known = new LiveCredentials({
      name: liveKeys,
      caches,
      load: (fingerprint) => loadKey(database, fingerprint),
      recordUses: (...uses) => database.run(recordLastUses, uses),
      onUsesLost: (error) => logError(error, 'The last uses of developer keys could not be recorded.'),
    });
  }

  /**
   * Refuses with `credentials_invalid`, and with `address_not_allowed` a key that is limited to other addresses. The
   * refusal of a key that somebody has, or had, is an `OwnedKeyRefusal`.
   * Queries the database only for a key that is not cached. A check is not recorded as a use.
   */
  async authenticate(key: string, address: string, isCheck = false): Promise<Principal> {
    const known = hasKeyFormat(key) ? await this.#known.find(fingerprintOf(key)) : undefined;
    if (known !== undefined) return this.#admit(known, address, isCheck);
    this.#unknown++;
    this.#onUnknown();
    throw new Refusal('credentials_invalid', notAccepted);
  }

  /** The same for a key that is cached, by its fingerprint; undefined: it is not. */
  authenticateCached(fingerprint: string, address: string): Principal | undefined {
    const known = this.#known.peek(fingerprint);
    return known && this.#admit(known, address, false);
  }

  #admit(key: KnownKey, address: string, isCheck: boolean): Principal {
    const { isLive, expiresAtMs, isAllowedFrom, principal } = key;
    const nowMs = this.#clock();
    if (!isLive || expiresAtMs <= nowMs) throw new OwnedKeyRefusal('credentials_invalid', notAccepted, principal);
    if (isAllowedFrom !== undefined && !isAllowedFrom(address)) {
      throw new OwnedKeyRefusal('address_not_allowed', rule('key_from_address', { address }), principal);
    }
    if (!isCheck) this.#known.recordUse(key, nowMs, address);
    return principal;
  }

  /** How many requests had a key that nobody has. */
  get unknown(): number {
    return this.#unknown;
  }

  /** Resolves when the last uses recorded so far have been written. */
  settled(): Promise<void> {
    return this.#known.settled();
  }
}

/** The same for all, because it says nothing about a key that is not the caller's. */
const notAccepted = rule('key_unknown');

/**
 * A key that somebody has, or had, and that is not accepted: it was revoked, has expired, or is used from an address
 * that it is not allowed from. Somebody else may have it.
 */
export class OwnedKeyRefusal extends Refusal {
  readonly owner: Principal;

  constructor(type: RefusalType, message: BrokenRule, owner: Principal) {
    super(type, message);
    this.owner = owner;
  }
}

async function loadKey(database: Database, fingerprint: string): Promise<KnownKey | undefined> {
  const [row] = await database.run(findKnownKey, [Buffer.from(fingerprint, 'base64')]);
  if (row === undefined) return undefined;
  const owner = principalOfAccount(row);
  return {
    id: row.key_id,
    isLive: row.is_live,
    principal: {
      ...owner,
      by: 'key',
      keyId: row.key_id,
      livemode: row.livemode,
      scopes: scopesOfKey(row.scope, owner.scopes),
      holdsAll: keyHoldsAll(row.scope, owner.holdsAll),
    },
    isAllowedFrom: row.allowed_addresses.length === 0 ? undefined : addressMatcher(row.allowed_addresses),
    expiresAtMs: row.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(row.expires_at),
    lastUseRecordedAtMs: row.last_used_at === null ? Number.NEGATIVE_INFINITY : Date.parse(row.last_used_at),
  };
}
