import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { keyHoldsAll, scopesOfKey } from '../../../core/scopes.ts';
import type { Caches } from '../../../platform/postgres/caches.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import { principalOfAccount } from '../sessions/account.ts';
import { type LiveCredential, LiveCredentials } from '../sessions/live-credentials.ts';
import { addressMatcher } from './allowed-addresses.ts';
import { fingerprintOf, hasKeyFormat } from './rules.ts';
import { findLiveKey, liveKeys, recordLastUses } from './statements.ts';

export interface KeyAuthenticatorOptions {
  database: Database;
  caches: Pick<Caches, 'readThrough'>;
  clock: Clock;
  logError: (error: unknown, message: string) => void;
}

interface LiveKey extends LiveCredential<number> {
  /** Undefined: from anywhere. */
  isAllowedFrom: ((address: string) => boolean) | undefined;
}

/** Authenticates developer keys, from a cache of live keys. */
export class KeyAuthenticator {
  readonly #clock: Clock;
  readonly #live: LiveCredentials<number, LiveKey>;

  constructor({ database, caches, clock, logError }: KeyAuthenticatorOptions) {
    this.#clock = clock;
    this.#live = new LiveCredentials({
      name: liveKeys,
      caches,
      load: (fingerprint) => loadLiveKey(database, fingerprint),
      recordUses: (...uses) => database.run(recordLastUses, uses),
      onUsesLost: (error) => logError(error, 'The last uses of developer keys could not be recorded.'),
    });
  }

  /**
   * Refuses with `credentials_invalid`, and with `address_not_allowed` a key that is limited to other addresses.
   * Queries the database only for a key that is not cached. A check is not recorded as a use.
   */
  async authenticate(key: string, address: string, isCheck = false): Promise<Principal> {
    if (!hasKeyFormat(key)) throw keyRefused();
    return this.#admit(await this.#live.find(fingerprintOf(key)), address, isCheck);
  }

  /** The same for a key that is cached, by its fingerprint; undefined: it is not. */
  authenticateCached(fingerprint: string, address: string): Principal | undefined {
    const live = this.#live.peek(fingerprint);
    return live && this.#admit(live, address, false);
  }

  #admit(live: LiveKey | undefined, address: string, isCheck: boolean): Principal {
    const nowMs = this.#clock();
    if (live === undefined || live.expiresAtMs <= nowMs) throw keyRefused();
    if (live.isAllowedFrom !== undefined && !live.isAllowedFrom(address))
      throw new AddressRefusal(live.principal, address);
    if (!isCheck) this.#live.recordUse(live, nowMs, address);
    return live.principal;
  }

  /** Resolves when the last uses recorded so far have been written. */
  settled(): Promise<void> {
    return this.#live.settled();
  }
}

function keyRefused(): Refusal {
  return new Refusal('credentials_invalid', 'The key is not known, was revoked, or has expired.');
}

/** A key that is right and used from an address that it is not allowed from: somebody else may have it. */
export class AddressRefusal extends Refusal {
  readonly owner: Principal;

  constructor(owner: Principal, address: string) {
    super('address_not_allowed', `This key is not accepted from ${address}.`);
    this.owner = owner;
  }
}

async function loadLiveKey(database: Database, fingerprint: string): Promise<LiveKey | undefined> {
  const [row] = await database.run(findLiveKey, [Buffer.from(fingerprint, 'base64')]);
  if (row === undefined) return undefined;
  const owner = principalOfAccount(row);
  return {
    id: row.key_id,
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
