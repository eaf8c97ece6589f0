import { isIP } from 'node:net';
import { sentenceOf } from '../../core/refusal-rules.ts';
import { problemOfHost } from '../../core/web-address.ts';

/** The type of a setting: how its text is parsed. */
export interface Kind<Value> {
  /** Shown in the documentation. */
  name: string;
  parse: (text: string) => Value;
}

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

function durationMs(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)([smhd]?)$/.exec(text.trim());
  if (match === null) throw new Error('must be a duration such as 90s, 5m, 24h, 7d, or a number of seconds');
  return Math.round(Number(match[1]) * (unitSeconds[match[2] || 's'] as number) * 1000);
}

export function integer(minimum: number, maximum: number): Kind<number> {
  return {
    name: `integer, ${minimum} to ${maximum}`,
    parse: (text) => {
      const value = Number(text);
      if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
        throw new Error(`must be an integer from ${minimum} to ${maximum}`);
      }
      return value;
    },
  };
}

export function oneOf<const Word extends string>(...words: Word[]): Kind<Word> {
  return {
    name: words.join(', '),
    parse: (text) => {
      const word = words.find((candidate) => candidate.toLowerCase() === text.toLowerCase());
      if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`);
      return word;
    },
  };
}

export function durationOfAtLeast(minimumMs: number, least: string): Kind<number> {
  return {
    name: 'duration',
    parse: (text) => {
      const value = durationMs(text);
      if (value < minimumMs) throw new Error(`must be at least ${least}`);
      return value;
    },
  };
}

export function durationBetween(least: { ms: number; text: string }, most: { ms: number; text: string }): Kind<number> {
  return {
    name: `duration, ${least.text} to ${most.text}`,
    parse: (text) => {
      const value = durationMs(text);
      if (value < least.ms || value > most.ms) throw new Error(`must be from ${least.text} to ${most.text}`);
      return value;
    },
  };
}

/** Refuses a text of several lines: a line end would get into a header, a path or a password. */
export function oneLine(value: string): string {
  if (/\p{Cc}/u.test(value)) throw new Error('must be one line without control characters');
  return value;
}

export const text: Kind<string> = { name: 'text', parse: oneLine };
export const words: Kind<string[]> = {
  name: 'comma-separated list',
  parse: (value) =>
    value
      .split(',')
      .map((word) => oneLine(word.trim()))
      .filter((word) => word !== ''),
};
export const keys: Kind<string> = { name: 'text', parse: (value) => words.parse(value).join(',') };
export const durations: Kind<number[]> = {
  name: 'comma-separated durations',
  parse: (value) => value.split(',').map(durationMs),
};

export function url(...protocols: string[]): Kind<string> {
  return {
    name: `address (${protocols.join(', ')})`,
    parse: (value) => {
      oneLine(value); // `URL` leaves line ends out.
      const parsed = URL.canParse(value) ? new URL(value) : undefined;
      if (parsed === undefined || !protocols.includes(parsed.protocol)) {
        throw new Error(`must be an address that begins with ${protocols.map((word) => `${word}//`).join(' or ')}`);
      }
      const problem = parsed.hostname === '' ? undefined : problemOfHost(parsed);
      if (problem !== undefined) throw new Error(sentenceOf(problem, 'it').replace(/^it |\.$/g, ''));
      return value.replace(/\/$/, '');
    },
  };
}

const webAddress = url('http:', 'https:');

/** The address of a service as its callers write it. Its path is put before the service's own paths. */
export const serviceAddress: Kind<string> = {
  name: webAddress.name,
  parse: (value) => {
    const { origin, pathname, username, password, search, hash } = new URL(webAddress.parse(value));
    if (`${username}${password}${search}${hash}` !== '')
      throw new Error('must not hold a user name, a query or a fragment');
    const path = pathname.replace(/\/$/, '');
    if (!/^(\/[\w.~-]+)*$/.test(path)) {
      throw new Error('must have a path, if any, of letters, digits, ".", "_", "~" and "-" between single slashes');
    }
    return origin + path;
  },
};

const isOrigin = (entry: string) => /^https?:/.test(entry) && URL.canParse(entry) && new URL(entry).origin === entry;

/** Origins of browser applications: scheme, host and port, without a path. */
export const origins: Kind<string[]> = {
  name: 'comma-separated origins',
  parse: (value) => {
    const entries = words.parse(value);
    if (entries.every(isOrigin)) return entries;
    throw new Error('must list origins such as https://app.example.com, each in full and without a path');
  },
};

/** A contact of RFC 9116: an e-mail address becomes a mailto: URI. */
export const contact: Kind<string> = {
  name: 'e-mail address or https: address',
  parse: (value) => {
    const address = oneLine(value).replace(/^mailto:/, '');
    if (/^[^\s@:/]+@[^\s@:/]+$/.test(address)) return `mailto:${address}`;
    if (!/\s/.test(value) && URL.canParse(value) && new URL(value).protocol === 'https:') return value;
    throw new Error('must be an e-mail address or an address that begins with https://');
  },
};

/** Names for address ranges that are common in the configuration of proxies. */
const namedNetworks: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Proxies: addresses, networks or names of address ranges, which become networks. */
export const proxies: Kind<string[]> = {
  name: 'comma-separated addresses or networks (CIDR)',
  parse: (value) => {
    const entries = words.parse(value);
    return entries.flatMap((entry) => namedNetworks[entry] ?? (isIP(entry) === 0 ? networks.parse(entry) : [entry]));
  },
};

export const networks: Kind<string[]> = {
  name: 'comma-separated networks (CIDR)',
  parse: (value) => {
    const entries = words.parse(value);
    for (const entry of entries) {
      const [address = '', bits = ''] = entry.split('/');
      const version = isIP(address);
      if (version === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (version === 4 ? 32 : 128)) {
        throw new Error(`names ${entry}, which is not a network such as 10.0.0.0/8`);
      }
    }
    return entries;
  },
};
