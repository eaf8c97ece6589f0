import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { callbackToken } from './signatures.ts';

/**
 * The `webhookUrl` of a payment. Mollie does not sign what it posts there, so the address itself is the secret: it carries
 * our key and a token made from the key and the channel's webhook secret. Undefined where there must be none:
 * - the channel has no webhook secret: nobody could tell Mollie's call from a stranger's;
 * - Mollie cannot reach the address, and would refuse the whole payment for it (422, `webhookUrl`). A simulator on the same
 *   machine can.
 * Look-ups alone tell of such a payment.
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

/** Whether a host can be meant for the internet, as far as its name tells. */
function isPublic(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return ipaddr.process(host).range() === 'unicast';
  return host.includes('.') && !/\.(localhost|local|internal|lan|home\.arpa|test|example|invalid)\.?$/i.test(host);
}
