import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { NameResolver, type Resolve } from './address-resolver.ts';

export interface AddressRules {
  /** A developer's own machine: loopback and private targets are allowed (decisions, Webhooks). */
  standalone: boolean;
  /** CIDRs that are allowed whatever they are: `app.webhook.allow-targets`. */
  allowTargets: readonly string[];
  /** Resolves a name; a `NameResolver` without it. */
  resolve?: Resolve;
}

type Address = ReturnType<typeof ipaddr.parse>;

const ownMachineRanges = new Set(['loopback', 'private', 'uniqueLocal']);
/**
 * Where clouds speak to their machines and hand out credentials; closed on a developer's machine too. Most such addresses
 * are link-local; Azure's would pass for a public one.
 */
const metadataAddresses = new Set(['fd00:ec2::254', 'fd20:ce::254', '168.63.129.16']);
/** Global unicast (RFC 4291, section 2.4): what lies outside is not on the public internet, named or not. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

export const forbiddenAddressCode = 'FORBIDDEN_ADDRESS';

/** The connection was not made: the name leads to an address that deliveries must not reach. */
export class ForbiddenAddress extends Error {
  readonly code = forbiddenAddressCode;

  constructor(hostname: string) {
    super(`Deliveries may not reach the address of ${hostname}.`);
    this.name = 'ForbiddenAddress';
  }
}

/** Says which addresses deliveries may reach, when an endpoint is registered and again at every connection. */
export class AddressGuard {
  readonly #standalone: boolean;
  readonly #allowed: [Address, number][];
  readonly #resolve: Resolve;

  /** Throws on a target that is not a CIDR. */
  constructor({ standalone, allowTargets, resolve = new NameResolver().resolve }: AddressRules) {
    this.#standalone = standalone;
    this.#resolve = resolve;
    this.#allowed = allowTargets.map((cidr) => ipaddr.parseCIDR(cidr) as [Address, number]);
  }

  /**
   * Whether the host of a parsed URL may be connected to, as far as it can be told without asking DNS. A literal never
   * reaches `lookup`, so it is judged here, at each send too. The URL parser has already turned 2130706433, 0x7f.1 and
   * the like into plain dotted form.
   */
  allowsHost(hostname: string): boolean {
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    if (isIP(host) !== 0) return this.allowsAddress(host);
    return this.#standalone || this.#allowed.length > 0 || !/(^|\.)localhost\.?$/i.test(host);
  }

  allowsAddress(text: string): boolean {
    // `process` takes an IPv4 address out of its IPv6-mapped form.
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
    if (this.#standalone && ownMachineRanges.has(range)) return true;
    return range === 'unicast' && (address.kind() === 'ipv4' || address.match(globalUnicast as never));
  }

  /**
   * Whether a host may be connected to, DNS included. A name that cannot be resolved now passes: it may come to exist,
   * and every connection asks again.
   */
  async allowsTarget(hostname: string): Promise<boolean> {
    if (!this.allowsHost(hostname)) return false;
    if (hostname.startsWith('[') || isIP(hostname) !== 0) return true;
    const addresses = await new Promise<LookupAddress[]>((done) => {
      const giveUp = setTimeout(() => done([]), registrationLookupMs);
      this.#resolve(hostname, { all: true }, (error, found) => {
        clearTimeout(giveUp);
        done(error ? [] : found);
      });
    });
    return addresses.every(({ address }) => this.allowsAddress(address));
  }

  /**
   * The `lookup` of every connection: resolves all addresses of a name, refuses if any of them is forbidden, and hands
   * over exactly the list that was judged. So a name that changes its answer between judging and connecting gains
   * nothing.
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

/** A registration does not wait for a slow DNS server: the connection will ask again. */
const registrationLookupMs = 2_000;
