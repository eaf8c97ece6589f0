import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications.ts';
import { ReadThroughCache } from '../../../platform/postgres/read-through-cache.ts';
import type { AddressGuard } from './address-guard.ts';
import { type EndpointKeys, signingKeys } from './signature.ts';
import { findTarget, type TargetRow } from './statements.ts';

/** Where an endpoint's deliveries go, parsed and opened, so that sending one costs no lookup. */
export interface Target {
  id: number;
  /** false: switched off, nothing is sent. */
  state: boolean;
  origin: string;
  path: string;
  /** Whether the host itself is an address that must not be reached; a name is judged at each connection. */
  forbidden: boolean;
  keys: EndpointKeys;
}

export interface EndpointDirectoryDeps {
  database: Queryable;
  notifications: Pick<Notifications, 'on' | 'publish'>;
  /** Opens a sealed secret from the place it is kept in. */
  open: (sealed: Buffer, where: string) => string;
  guard: AddressGuard;
}

const topic = 'webhook-endpoints';
/** With opened keys, about 1 KB each. */
const targetsKept = 10_000;

/** Where a secret is kept: it opens nowhere else. */
export const secretPlace = (tenantId: number, id: number) => `webhook_endpoint/${tenantId}/${id}/secret`;

/** Every endpoint's target by its id, from memory, dropped when the endpoint is changed on any node. */
export class EndpointDirectory {
  readonly #deps: EndpointDirectoryDeps;
  readonly #cache: ReadThroughCache<number, Target>;
  /** One read for all who ask while it runs: a batch often holds one endpoint many times. */
  readonly #reading = new Map<number, Promise<Target | undefined>>();

  constructor(deps: EndpointDirectoryDeps) {
    this.#deps = deps;
    this.#cache = new ReadThroughCache({ max: targetsKept, load: (id) => this.#load(id) });
    deps.notifications.on(topic, {
      changed: (id) => {
        this.#reading.delete(Number(id));
        this.#cache.drop(Number(id));
      },
      disconnected: (disconnected) => {
        this.#reading.clear();
        this.#cache.disconnected = disconnected;
      },
    });
  }

  /** What is remembered, without asking the database. Undefined does not mean that there is no such endpoint. */
  remembered(id: number): Target | undefined {
    return this.#cache.peek(id);
  }

  find(id: number): Promise<Target | undefined> {
    return this.#reading.get(id) ?? this.#read(id);
  }

  /** Tells every node that an endpoint has been changed. */
  async changed(database: Queryable, id: number): Promise<void> {
    await this.#deps.notifications.publish(database, topic, id);
  }

  #read(id: number): Promise<Target | undefined> {
    const reading = this.#cache.get(id).finally(() => {
      if (this.#reading.get(id) === reading) this.#reading.delete(id);
    });
    this.#reading.set(id, reading);
    return reading;
  }

  async #load(id: number): Promise<Target | undefined> {
    const [row] = await this.#deps.database.run(findTarget, [id]);
    return row && this.#targetOf(row);
  }

  #targetOf(row: TargetRow): Target {
    const { id, url, state } = row;
    const { origin, pathname, search, hostname } = new URL(url);
    return {
      id,
      state,
      origin,
      path: pathname + search,
      forbidden: !this.#deps.guard.allowsHost(hostname),
      keys: this.#keysOf(row),
    };
  }

  #keysOf({ tenant_id, id, secret_sealed, next_secret_sealed, promote_at }: TargetRow): EndpointKeys {
    const opened = (sealed: Buffer) => signingKeys(this.#deps.open(sealed, secretPlace(tenant_id, id)));
    const present = opened(secret_sealed);
    if (next_secret_sealed === null) return { present };
    return {
      present,
      next: { keys: opened(next_secret_sealed), fromMs: promote_at === null ? null : Date.parse(promote_at) },
    };
  }
}
