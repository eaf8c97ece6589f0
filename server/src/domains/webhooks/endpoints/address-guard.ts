import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { NameResolver, type Resolve } from './address-resolver.ts';

export interface AddressRules {
  /** Whether loopback and private targets are allowed. */
  allowsPrivate: boolean;
  /** CIDRs that are always allowed: `app.webhook.allow-targets`. */
  allowTargets: readonly string[];
  /** Default: that of the `NameResolver` that the whole process shares. */
  resolve?: Resolve;
}

type Address = ReturnType<typeof ipaddr.parse>;

const privateRanges = new Set(['loopback', 'private', 'uniqueLocal']);
/**
 * Metadata services of clouds, which hand out credentials: forbidden to everybody. Those that are not listed here are
 * link-local; Azure's is in a public range.
 */
const metadataAddresses = new Set(['fd00:ec2::254', 'fd20:ce::254', '168.63.129.16']);
/** Global unicast (RFC 4291, section 2.4): other IPv6 addresses are not on the public internet. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

const names = new NameResolver();

export const forbiddenAddressCode = 'FORBIDDEN_ADDRESS';

/** The host name resolves to a forbidden address, so no connection was made. */
export class ForbiddenAddress extends Error {
  readonly code = forbiddenAddressCode;

  constructor(hostname: string) {
    super(`Deliveries may not reach the address of ${hostname}.`);
    this.name = 'ForbiddenAddress';
  }
}

/** The rules for all endpoints, and those for endpoints whose URL an administrator has set in a session. */
export interface AddressGuards {
  everyone: AddressGuard;
  administrators: AddressGuard;
}

/**
 * Only administrators, and only in STANDALONE mode, may have deliveries sent to private addresses
 * (docs/decisions/webhooks.md): such deliveries reveal which services a network has, and post to them.
 */
export function addressGuards(
  standalone: boolean,
  allowTargets: readonly string[],
  { resolve }: Pick<NameResolver, 'resolve'> = names,
): AddressGuards {
  const everyone = new AddressGuard({ allowsPrivate: false, allowTargets, resolve });
  const administrators = standalone ? new AddressGuard({ allowsPrivate: true, allowTargets, resolve }) : everyone;
  return { everyone, administrators };
}

/** Decides which addresses deliveries may reach: at registration, and again at every connection. */
export class AddressGuard {
  readonly #allowsPrivate: boolean;
  readonly #allowed: [Address, number][];
  readonly #resolve: Resolve;

  /** Throws on a target that is not a CIDR. */
  constructor({ allowsPrivate, allowTargets, resolve = names.resolve }: AddressRules) {
    this.#allowsPrivate = allowsPrivate;
    this.#resolve = resolve;
    this.#allowed = allowTargets.map((cidr) => ipaddr.parseCIDR(cidr) as [Address, number]);
  }

  /**
   * Whether the host of a parsed URL is allowed, as far as that is known without DNS. Also checked at each send,
   * because `lookup` is not called for IP addresses. The URL parser has already converted spellings such as 2130706433
   * and 0x7f.1 to dotted form.
   */
  allowsHost(hostname: string): boolean {
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    if (isIP(host) !== 0) return this.allowsAddress(host);
    return this.#allowsPrivate || this.#allowed.length > 0 || !/(^|\.)localhost\.?$/i.test(host);
  }

  allowsAddress(text: string): boolean {
    return this.#allows(text, this.#allowsPrivate);
  }

  /**
   * Whether the answer of a server at this address is stored and shown. At a private address that is not an allowed
   * target there may be a service that trusts its network, whose answers are confidential.
   */
  keepsAnswersOf(address: string): boolean {
    return this.#allows(address, false);
  }

  #allows(text: string, allowsPrivate: boolean): boolean {
    // `process` converts an IPv4-mapped IPv6 address to IPv4.
    const address = ipaddr.process(text);
    if (
      this.#allowed.some(
        ([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never),
      )
    ) {
      return true;
    }
    if (metadataAddresses.has(address.toString())) return false;
    const range = address.range();
    if (allowsPrivate && privateRanges.has(range)) return true;
    return range === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast as never));
  }

  /**
   * Whether a host is allowed, including all addresses of a host name. A name that cannot be resolved now is allowed:
   * it may come into existence, and every connection is checked again.
   */
  async allowsTarget(hostname: string): Promise<boolean> {
    if (!this.allowsHost(hostname)) return false;
    if (hostname.startsWith('[') || isIP(hostname) !== 0) return true;
    const addresses = await new Promise<LookupAddress[]>((done) => {
      const timeout = setTimeout(() => done([]), registrationLookupMs);
      this.#resolve(hostname, { all: true }, (error, found) => {
        clearTimeout(timeout);
        done(error ? [] : found);
      });
    });
    return addresses.every(({ address }) => this.allowsAddress(address));
  }

  /**
   * The `lookup` of every connection: resolves all addresses of a name, fails if any of them is forbidden, and returns
   * exactly the checked list, so that a name cannot change its addresses between the check and the connection.
   */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      if (!addresses.every(({ address }) => this.allowsAddress(address))) {
        return callback(new ForbiddenAddress(hostname), '', 0);
      }
      if (options.all) return (callback as (error: null, addresses: LookupAddress[]) => void)(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** Registration does not wait longer for DNS: every connection is checked again. */
const registrationLookupMs = 2_000;
