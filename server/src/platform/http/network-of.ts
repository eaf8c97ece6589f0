import ipaddr from 'ipaddr.js';

/** The address, or the /64 network of an IPv6 address: providers commonly assign a whole /64 to one customer. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.');
}
