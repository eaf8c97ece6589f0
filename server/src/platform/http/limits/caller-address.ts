import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface ForwardedRequest {
  /** The address of the connection. */
  remoteAddress: string | undefined;
  /** `X-Forwarded-For`: each proxy has appended the address that its request came from. */
  forwardedFor: string | undefined;
}

/**
 * The address of the caller: the nearest one that is not a proxy's. An entry that is no address ends the walk; the
 * caller is then the proxy that sent it, because the entries to its left may have been written by a client.
 */
export function callerAddress(
  { remoteAddress = '', forwardedFor }: ForwardedRequest,
  isProxy: (address: string) => boolean,
): string {
  const ownAddress = plainAddress(remoteAddress);
  if (ownAddress === undefined) return remoteAddress;
  let address = ownAddress;
  for (const entry of forwardedFor?.split(',').reverse() ?? []) {
    const sender: string | undefined = isProxy(address) ? addressIn(entry.trim()) : undefined;
    if (sender === undefined) return address;
    address = sender;
  }
  return address;
}

/** The address of an entry, which may carry a port: `203.0.113.5:51234`, `[2001:db8::1]:443`, `[2001:db8::1]`. */
function addressIn(entry: string): string | undefined {
  const [, v6, v4] = /^(?:\[([^\]]*)\](?::\d{1,5})?|([\d.]+):\d{1,5})$/.exec(entry) ?? [];
  return plainAddress(v6 ?? v4 ?? entry);
}

/**
 * The usual notation of an address, without a zone, such as 192.0.2.1 for `::ffff:192.0.2.1`; undefined if it is none.
 */
function plainAddress(text: string): string | undefined {
  const [address = ''] = text.split('%');
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      return ipaddr.process(address).toString();
    default:
      return undefined;
  }
}
