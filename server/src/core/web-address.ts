/**
 * The URL parser silently repairs other spellings: what is connected to would then differ from what is stored and
 * shown.
 */
const unrepaired = /^https?:\/\/[^/\\?#@]+([/?#][^\\]*)?$/i;

/** What an http or https URL that anybody gives must be and is not, as a predicate. undefined: it can be used. */
export function problemOfWebAddress(text: string): string | undefined {
  if (/[\s\p{Cc}]/u.test(text)) return 'must not hold spaces or control characters';
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (!unrepaired.test(text)) return 'must have its host right after https:// or http://, and hold no backslash';
  return problemOfHost(url);
}

const longestName = 253;
/** Of a host name in ASCII (RFC 1035, section 2.3.4). Underscores are not for hosts, but are resolved. */
const label = /^[a-z0-9_-]{1,63}$/;

/** What keeps everybody from ever reaching the host and port of a parsed URL. */
export function problemOfHost({ hostname, port }: URL): string | undefined {
  if (port === '0') return 'must not have port 0, which no server can have';
  if (hostname.startsWith('[')) return undefined;
  const name = hostname.replace(/\.$/, '');
  if (name.length > longestName) return `must have a host name of at most ${longestName} characters`;
  if (!name.split('.').every((one) => label.test(one))) {
    return 'must have a host name whose labels have 1 to 63 letters, digits, hyphens or underscores';
  }
  return undefined;
}
