import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The address, or the /64 network of an IPv6 address: providers commonly assign a whole /64 to one customer. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}

/** Whether an address is one of these addresses or in one of these networks (CIDR). */
export function addressMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  // An IPv4 address in IPv6 notation matches IPv4 networks.
  return (address) => list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
