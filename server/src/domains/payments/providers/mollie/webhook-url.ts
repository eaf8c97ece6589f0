import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { callbackToken } from './signatures.ts';

/**
 * The `webhookUrl` of a payment. Mollie does not sign its requests to it, so the address carries our key and a token
 * derived from the key and the channel's webhook secret. Undefined if the payment must do without one and relies on
 * look-ups:
 * - The channel has no webhook secret, so a request could not be authenticated.
 * - The address is not public: Mollie would refuse the whole payment (422, `webhookUrl`). A simulator on the same
 *   machine accepts it.
 */
export function webhookUrlOf(
  callbackUrl: string,
  key: string,
  webhookSecret: string | null,
  root: string,
): string | undefined {
  const address = URL.parse(callbackUrl);
  if (address === null || webhookSecret === null || webhookSecret === '') return undefined;
  if (!isPublic(address.hostname) && isPublic(new URL(root).hostname)) return undefined;
  address.searchParams.set('key', key);
  address.searchParams.set('token', callbackToken(webhookSecret, key));
  return address.href;
}

/** Whether a host name can be reachable from the internet, judged by the name alone. */
function isPublic(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return ipaddr.process(host).range() === 'unicast';
  return host.includes('.') && !/\.(localhost|local|internal|lan|home\.arpa|test|example|invalid)\.?$/i.test(host);
}
