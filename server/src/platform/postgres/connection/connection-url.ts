import type pg from 'pg';

/** Accepted values of libpq's target_session_attrs. Florin writes, so those that select a standby are refused. */
const acceptedTargets = ['any', 'read-write', 'primary'] as const;
type TargetSessionAttrs = (typeof acceptedTargets)[number];

export interface Host {
  /** Undefined: the driver's default, PGHOST or localhost. */
  host: string | undefined;
  port: number | undefined;
}

/** How to connect to a PostgreSQL: the driver's settings, and some that the driver does not support. */
export interface ConnectionConfig extends pg.ClientConfig {
  /** Tried in order for each new connection until one is accepted; without it, `host` and `port`. */
  hosts?: readonly Host[];
  targetSessionAttrs?: TargetSessionAttrs;
  /** `options` of the database URL, added to those of Florin. */
  urlOptions?: string;
  /**
   * `sslmode` is `prefer` or `allow`: without TLS if the server has none. As in libpq, its certificate is not verified.
   */
  prefersTls?: boolean;
  /**
   * A pooler may give each transaction another session of the server, so the session settings are made in each
   * transaction.
   */
  hasPooler?: boolean;
  /** What earlier connections have found out, shared by all connections of one URL. */
  learned?: Learned;
}

export interface Learned {
  /**
   * The last host that was accepted: the next connection tries it first, so that a dead host costs its timeout once.
   */
  lastHost: Host | undefined;
  /**
   * Hosts that gave no answer when they were tried last. Where only a primary is accepted they are tried last, because
   * each costs its share of the time: a machine that was lost would otherwise delay every connection to its successor.
   */
  silentHosts: Set<Host>;
  /** The server has no TLS, and the URL does not require it. */
  isPlain: boolean;
  /** A pooler refuses or ignores `options`: a statement makes the session settings instead. */
  ignoresOptions: boolean;
}

export function nothingLearned(): Learned {
  return { lastHost: undefined, silentHosts: new Set(), isPlain: false, ignoresOptions: false };
}

/**
 * Reads a database URL, which may name several hosts (`postgres://user:password@h1:5432,h2:5432/db`) and
 * `target_session_attrs`. The driver supports neither, would replace Florin's `options`, and would require TLS for
 * `sslmode=prefer`. Errors never contain the URL.
 */
export function connectionOf(url: string): ConnectionConfig {
  const match = /^(postgres(?:ql)?:\/\/)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/i.exec(url);
  if (match === null) throw new Error('must be an address that begins with postgres:// or postgresql://');
  const [, scheme = '', authority = '', path = '', query = ''] = match;
  const at = authority.lastIndexOf('@');
  const parameters = query === '' ? [] : query.split('&');
  const ours = new Map<string, string>();
  const prefersTls = parameters.some((parameter) => /^sslmode=(prefer|allow)$/.test(parameter));
  const others = parameters.filter((parameter) => {
    const [name = '', value = ''] = parameter.split(/=(.*)/s);
    if (name === 'sslmode' && prefersTls) return false;
    if (!['host', 'port', 'options', 'target_session_attrs'].includes(name)) return true;
    ours.set(name, decoded(value.replaceAll('+', ' ')));
    return false;
  });
  const target = ours.get('target_session_attrs') ?? 'any';
  if (!isAccepted(target)) {
    throw new Error(`must have a target_session_attrs of ${acceptedTargets.join(', ')}; Florin writes`);
  }
  const urlOptions = ours.get('options');
  const account = authority.slice(0, at + 1);
  const rest = `${path}${others.length > 0 ? `?${others.join('&')}` : ''}`;
  if (!URL.canParse(`${scheme}${account}localhost${rest}`)) {
    throw new Error('must be an address: escape special characters with %');
  }
  return {
    // Without a host, so that the default is PGHOST or localhost.
    connectionString: `${scheme}${account}${path === '' ? 'localhost' : ''}${rest}`,
    hosts: hostsOf(authority.slice(at + 1), ours.get('host'), ours.get('port')),
    targetSessionAttrs: target,
    learned: nothingLearned(),
    ...(prefersTls && { prefersTls, ssl: { rejectUnauthorized: false } }),
    ...(urlOptions !== undefined && { urlOptions }),
  };
}

const isAccepted = (word: string): word is TargetSessionAttrs => (acceptedTargets as readonly string[]).includes(word);

function hostsOf(authority: string, hostParameter: string | undefined, portParameter: string | undefined): Host[] {
  const written = authority.split(',').map((entry) => {
    const match = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(entry);
    if (match === null) throw new Error('must name its hosts as host:port, comma-separated');
    const [, host = '', port = ''] = match;
    return { host: decoded(host.replace(/^\[(.*)\]$/, '$1')), port };
  });
  const names = hostParameter?.split(',') ?? written.map(({ host }) => host);
  const ports = portParameter?.split(',') ?? written.map(({ port }) => port);
  if (ports.length !== 1 && ports.length !== names.length) throw new Error('must have one port, or one for each host');
  return names.map((name, i) => {
    const port = ports.length === 1 ? ports[0] : ports[i];
    if (port && !(/^\d+$/.test(port) && Number(port) <= 65_535)) throw new Error('must have ports up to 65535');
    return { host: name || undefined, port: port ? Number(port) : undefined };
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('must be an address: escape special characters with %');
  }
}
