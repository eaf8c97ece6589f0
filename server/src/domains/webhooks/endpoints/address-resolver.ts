import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { minuteMs, secondMs } from '../../../core/clock.ts';

export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A second try waits twice as long: both fit into an attempt's 10 s. */
const asking = { timeout: 2 * secondMs, tries: 2 };
/** The resolver reads which servers to ask when it is made. */
const resolverKeptMs = minuteMs;

/**
 * Finds the addresses of names that others have chosen, some of whose servers never answer. The machine's own resolver
 * looks up two names at a time for the whole process: three endpoints with such a name kept every other from being
 * found, and the providers and the database with them. So DNS is asked directly, however many names are under way.
 *
 * What DNS does not know may still be in the hosts file or a search domain. The machine's resolver is asked for that, one
 * name at a time, so that it always has a thread left.
 */
export class NameResolver {
  readonly #servers: readonly string[] | undefined;
  #resolver: Resolver | undefined;
  #madeAtMs = 0;
  readonly #underWay = new Map<string, Promise<LookupAddress[]>>();
  #last: Promise<unknown> = Promise.resolve();

  /** `servers`: DNS servers to ask instead of the machine's, as `address:port`. */
  constructor(servers?: readonly string[]) {
    this.#servers = servers;
  }

  readonly resolve: Resolve = (hostname, { family = 0 }, done) => {
    this.#find(hostname).then(
      (found) => {
        const asked = found.filter((one) => family === 0 || family === `IPv${one.family}` || family === one.family);
        if (asked.length > 0) done(null, asked);
        else done(notFound(hostname, 'ENOTFOUND'), []);
      },
      (error) => done(error, []),
    );
  };

  async #find(hostname: string): Promise<LookupAddress[]> {
    // Known to every machine; no server is asked for them (RFC 6761, section 6.3).
    if (/(^|\.)localhost\.?$/i.test(hostname)) return bySystem(hostname);
    const resolver = this.#current();
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = [...addressesOf(v4, 4), ...addressesOf(v6, 6)];
    if (found.length > 0) return found;
    if (isSilent(v4) || isSilent(v6)) throw notFound(hostname, 'EAI_AGAIN');
    return this.#inTurn(hostname);
  }

  #current(): Resolver {
    const nowMs = performance.now();
    if (this.#resolver === undefined || nowMs - this.#madeAtMs > resolverKeptMs) {
      this.#resolver = new Resolver(asking);
      this.#madeAtMs = nowMs;
      if (this.#servers !== undefined) this.#resolver.setServers(this.#servers);
    }
    return this.#resolver;
  }

  #inTurn(hostname: string): Promise<LookupAddress[]> {
    const underWay = this.#underWay.get(hostname);
    if (underWay !== undefined) return underWay;
    const found = this.#last.then(() => bySystem(hostname)).finally(() => this.#underWay.delete(hostname));
    this.#underWay.set(hostname, found);
    this.#last = found.catch(() => {});
    return found;
  }
}

function addressesOf(answer: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

/** Its server took the question and gave no answer. */
function isSilent(answer: PromiseSettledResult<string[]>): boolean {
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
