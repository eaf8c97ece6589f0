import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { minuteMs, secondMs } from '../../../core/clock.ts';

export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface NameResolverOptions {
  /** DNS servers as `address:port`. Default: those of the system. */
  servers?: readonly string[];
  /** Default: the resolver of the system. */
  lookUpBySystem?: (hostname: string) => Promise<LookupAddress[]>;
}

/** The second try waits twice as long: both fit into the 10 s of an attempt. */
const resolverOptions = { timeout: 2 * secondMs, tries: 2 };
/** A resolver reads the list of DNS servers only when it is created. */
const resolverLifetimeMs = minuteMs;

/**
 * Resolves host names that customers have chosen; the DNS servers of some never answer. The system resolver handles two
 * names at a time for the whole process: three endpoints with such a name blocked the lookups of all others, and of the
 * providers and the database. So this resolver queries DNS directly, for any number of names at a time.
 *
 * Names that DNS does not know can still be in the hosts file or a search domain. The system resolver is queried for
 * them, one name at a time, so that it always has a free thread. So a process has one `NameResolver`.
 */
export class NameResolver {
  readonly #servers: readonly string[] | undefined;
  readonly #lookUpBySystem: (hostname: string) => Promise<LookupAddress[]>;
  #resolver: Resolver | undefined;
  #createdAtMs = 0;
  readonly #systemLookups = new Map<string, Promise<LookupAddress[]>>();
  #lastSystemLookup: Promise<unknown> = Promise.resolve();

  constructor({ servers, lookUpBySystem = bySystem }: NameResolverOptions = {}) {
    this.#servers = servers;
    this.#lookUpBySystem = lookUpBySystem;
  }

  readonly resolve: Resolve = (hostname, { family = 0 }, done) => {
    this.#find(hostname).then(
      (found) => {
        const matching = found.filter((one) => family === 0 || family === `IPv${one.family}` || family === one.family);
        if (matching.length > 0) done(null, matching);
        else done(notFound(hostname, 'ENOTFOUND'), []);
      },
      (error) => done(error, []),
    );
  };

  async #find(hostname: string): Promise<LookupAddress[]> {
    // DNS servers must not be queried for these names (RFC 6761, section 6.3).
    if (/(^|\.)localhost\.?$/i.test(hostname)) return this.#lookUpBySystem(hostname);
    const resolver = this.#currentResolver();
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length > 0) return found;
    if (isInconclusive(v4) || isInconclusive(v6)) throw notFound(hostname, 'EAI_AGAIN');
    return this.#lookUpInSequence(hostname);
  }

  #currentResolver(): Resolver {
    const nowMs = performance.now();
    if (this.#resolver === undefined || nowMs - this.#createdAtMs > resolverLifetimeMs) {
      this.#resolver = new Resolver(resolverOptions);
      this.#createdAtMs = nowMs;
      if (this.#servers !== undefined) this.#resolver.setServers(this.#servers);
    }
    return this.#resolver;
  }

  #lookUpInSequence(hostname: string): Promise<LookupAddress[]> {
    const pending = this.#systemLookups.get(hostname);
    if (pending !== undefined) return pending;
    const found = this.#lastSystemLookup
      .then(() => this.#lookUpBySystem(hostname))
      .finally(() => this.#systemLookups.delete(hostname));
    this.#systemLookups.set(hostname, found);
    // The next lookup waits only for this one to end; its callers get the failure.
    this.#lastSystemLookup = found.catch(() => {});
    return found;
  }
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

/** The DNS server gave no answer or failed, so that the name may still exist. */
function isInconclusive(answer: PromiseSettledResult<string[]>): boolean {
  return answer.status === 'rejected' && ['ETIMEOUT', 'ESERVFAIL'].includes(answer.reason?.code);
}

function bySystem(hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error === null ? resolve(addresses) : reject(error)));
  });
}

function notFound(hostname: string, code: 'ENOTFOUND' | 'EAI_AGAIN'): NodeJS.ErrnoException {
  return Object.assign(new Error(`The address of ${hostname} could not be found.`), { code, hostname });
}
