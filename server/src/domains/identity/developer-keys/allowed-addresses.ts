import ipaddr from 'ipaddr.js';
import { invalid } from '../../../core/errors.ts';
import { rule } from '../../../core/refusal-rules.ts';

type Address = ReturnType<typeof ipaddr.process>;
type Network = [Address, number];

/** Refuses entries that are neither an address nor a network. */
export function requireNetworks(entries: readonly string[]): void {
  for (const [i, entry] of entries.entries()) {
    if (networkOf(entry) !== undefined) continue;
    throw invalid(`allowedAddresses.${i}`, rule('network'));
  }
}

/** Whether an address is in one of the networks. An IPv4 address is also recognized in its IPv6 form. */
export function addressMatcher(entries: readonly string[]): (address: string) => boolean {
  const networks = entries.map(networkOf).filter((network) => network !== undefined);
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return networks.some((network) => address.kind() === network[0].kind() && address.match(network));
  };
}

function networkOf(entry: string): Network | undefined {
  if (entry.includes('/'))
    return ipaddr.isValidCIDR(entry) && !isAbbreviated(entry) ? ipaddr.parseCIDR(entry) : undefined;
  if (!ipaddr.isValid(entry) || isAbbreviated(entry)) return undefined;
  const address = ipaddr.process(entry);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** `10.1`, an old notation for 10.0.0.1, is probably a mistake. */
function isAbbreviated(entry: string): boolean {
  return !entry.includes(':') && entry.split('.').length !== 4;
}
