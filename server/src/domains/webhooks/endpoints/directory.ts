import type { Caches } from '../../../platform/postgres/caches.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ReadThroughCache } from '../../../platform/postgres/read-through-cache.ts';
import type { AddressGuard, AddressGuards } from './address-guard.ts';
import { type EndpointKeys, signingKeys } from './signature.ts';
import { cachedTargets, findTarget, type TargetRow } from './statements.ts';

/** An endpoint as the sender needs it: the URL parsed, the secrets opened. */
export interface Target {
  id: number;
  /** false: the endpoint is disabled. */
  state: boolean;
  origin: string;
  path: string;
  /** Checks the addresses of a host name at each connection. */
  guard: AddressGuard;
  /** The host is an IP address that must not be reached. */
  forbidden: boolean;
  /** Undefined: the encryption key of a secret is lost. Nothing can be signed until the secret is rotated. */
  keys: EndpointKeys | undefined;
}

export interface EndpointDirectoryDeps {
  database: Queryable;
  caches: Pick<Caches, 'readThrough'>;
  /** Opens a sealed secret with its associated data. */
  open: (sealed: Buffer, associatedData: string) => string;
  /** Whether the key of a sealed secret is declared lost. */
  isLost: (sealed: Buffer) => boolean;
  guards: AddressGuards;
}

/** About 1 KB each, with the opened keys. */
const maxCached = 10_000;

/** The associated data of a secret's seal: where it is stored. It does not open elsewhere. */
export const endpointSecretAssociatedData = (tenantId: number, id: number) =>
  `webhook_endpoint/${tenantId}/${id}/secret`;

/** Caches the targets of endpoints by id. A change of an endpoint on any node drops its entry. */
export class EndpointDirectory {
  readonly #deps: EndpointDirectoryDeps;
  readonly #cache: ReadThroughCache<number, Target>;

  constructor(deps: EndpointDirectoryDeps) {
    this.#deps = deps;
    this.#cache = deps.caches.readThrough(cachedTargets, {
      parseKey: Number,
      max: maxCached,
      load: (id) => this.#load(id),
    });
  }

  /** The cached target, without a query. Undefined does not mean that the endpoint does not exist. */
  cached(id: number): Target | undefined {
    return this.#cache.peek(id);
  }

  find(id: number): Promise<Target | undefined> {
    return this.#cache.get(id);
  }

  async #load(id: number): Promise<Target | undefined> {
    const [row] = await this.#deps.database.run(findTarget, [id]);
    return row && this.#targetOf(row);
  }

  #targetOf(row: TargetRow): Target {
    const { id, url, state } = row;
    const guard = row.reaches_private ? this.#deps.guards.administrators : this.#deps.guards.everyone;
    const { origin, pathname, search, hostname } = new URL(url);
    return {
      id,
      state,
      origin,
      path: pathname + search,
      guard,
      forbidden: !guard.allowsHost(hostname),
      keys: this.#keysOf(row),
    };
  }

  #keysOf(row: TargetRow): EndpointKeys | undefined {
    const { tenant_id, id, secret_sealed, next_secret_sealed, promote_at } = row;
    const { isLost } = this.#deps;
    if (isLost(secret_sealed) || (next_secret_sealed && isLost(next_secret_sealed))) return undefined;
    const opened = (sealed: Buffer, isLegacy: boolean) =>
      signingKeys(this.#deps.open(sealed, endpointSecretAssociatedData(tenant_id, id)), isLegacy);
    const present = opened(secret_sealed, row.secret_is_legacy);
    if (next_secret_sealed === null) return { present };
    return {
      present,
      next: {
        keys: opened(next_secret_sealed, row.next_secret_is_legacy),
        fromMs: promote_at === null ? null : Date.parse(promote_at),
      },
    };
  }
}
