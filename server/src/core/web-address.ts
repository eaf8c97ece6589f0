import { type BrokenRule, rule } from './refusal-rules.ts';

/**
 * The URL parser silently repairs other spellings: what is connected to would then differ from what is stored and
 * shown.
 */
const unrepaired = /^https?:\/\/[^/\\?#@]+([/?#][^\\]*)?$/i;

/** What an http or https URL that anybody gives must be and is not, as a predicate. undefined: it can be used. */
export function problemOfWebAddress(text: string): BrokenRule | undefined {
  if (/[\s\p{Cc}]/u.test(text)) return rule('url_spaces');
  if (!URL.canParse(text)) return rule('url_absolute');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return rule('url_scheme');
  if (url.username !== '' || url.password !== '') return rule('url_user');
  if (!unrepaired.test(text)) return rule('url_host_place');
  return problemOfHost(url);
}

const longestName = 253;
/** Of a host name in ASCII (RFC 1035, section 2.3.4). Underscores are not for hosts, but are resolved. */
const label = /^[a-z0-9_-]{1,63}$/;

/** What keeps everybody from ever reaching the host and port of a parsed URL. */
export function problemOfHost({ hostname, port }: URL): BrokenRule | undefined {
  if (port === '0') return rule('url_port');
  if (hostname.startsWith('[')) return undefined;
  const name = hostname.replace(/\.$/, '');
  if (name.length > longestName) return rule('url_host_length', { limit: longestName });
  if (!name.split('.').every((one) => label.test(one))) {
    return rule('url_host_labels');
  }
  return undefined;
}
