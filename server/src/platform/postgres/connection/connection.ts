import pg from 'pg';
import { type ConnectionConfig, type Host, type Learned, nothingLearned } from './connection-url.ts';
import { isLoginRefused } from './failures.ts';
import { type SettingsStatement, SettledQuery } from './settled-query.ts';

/** The servers of a connection for messages, such as `db1:5432, db2:5432`, without the account. */
export function describeHosts(connection: ConnectionConfig): string {
  const client = new pg.Client(connection);
  const hosts = connection.hosts ?? [{ host: undefined, port: undefined }];
  return hosts.map(({ host, port }) => describe(host ?? client.host, port ?? client.port)).join(', ');
}

function describe(host: string, port: number): string {
  if (host.startsWith('/')) return `${host}/.s.PGSQL.${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Private fields of the driver. Its version is pinned, and connection.test.ts fails if they change. */
interface Internals {
  host: string;
  port: number;
  ssl: boolean | object;
  connection: pg.Connection & {
    stream: { destroy: (error?: Error) => void; once: (event: 'data', listener: () => void) => void };
  };
  connectionParameters: { application_name?: string; options?: string; sslnegotiation?: string };
  connectionTimeoutHandle: NodeJS.Timeout | undefined;
  /** Of the login under way. */
  saslSession: object | null | undefined;
  readyForQuery: boolean;
  /** The statement in flight. */
  _activeQuery: object | null | undefined;
  _connectionTimeoutMillis: number;
  _connecting: boolean;
  _connected: boolean;
  _connectionError: boolean;
  _queryable: boolean;
  _ending: boolean;
  _ended: boolean;
}

/** Methods of the driver that are overridden. */
const inherited = pg.Client.prototype as unknown as {
  getStartupConf: () => Record<string, string>;
  _handleAuthSASLContinue: (message: object) => Promise<void>;
  _handleAuthMD5Password: (message: object) => void;
  _handleParseComplete: () => void;
};

/** Parsers and statements depend on these; neither settings of the role nor the URL may change them. */
const fixedOptions = '-c timezone=UTC -c datestyle=ISO';

type QueryDone = (error: Error | undefined, result: unknown) => void;

/** The name of all connections through a pooler, which would otherwise set it whenever it changes the session. */
const pooledName = 'florin';

/**
 * The driver's client with two additions: it tries each host until one is accepted, and its session settings are in
 * force. They are made when it connects, as `options` of the startup message, which cost nothing, or by a statement
 * where a pooler refuses or drops those. With `hasPooler` they are made in each transaction instead. All connections of
 * Florin use it.
 */
export class SessionClient extends pg.Client {
  readonly #config: ConnectionConfig;
  readonly #learned: Learned;
  readonly #options: string;
  /** Makes the session settings in each transaction. Undefined: they were made when it connected. */
  readonly #settings: SettingsStatement | undefined;
  /** The ParameterStatus messages of the server, by name. */
  #reported = new Map<string, string>();
  #sendsOptions = true;
  /** When the time for all hosts ends (performance.now()). */
  #deadlineMs = 0;
  #isAbandoned = false;
  /** Whether the host of this attempt has sent anything. */
  #hasAnswered = false;
  #unansweredChecks = 0;
  #checkedQuery: object | null | undefined;

  constructor(config: ConnectionConfig = {}) {
    super(config);
    // The event needs no handling: it rejects the statement in flight, or the next one. Without a listener it would end
    // the process when PostgreSQL dies between two owners of the connection, which attach theirs a moment later.
    this.on('error', () => {});
    this.#config = config;
    this.#learned = config.learned ?? nothingLearned();
    this.#options = [config.options, config.urlOptions, fixedOptions].filter(Boolean).join(' ');
    if (!config.hasPooler) return;
    this.#settings = { name: 'session.settings', text: this.#settingsText(true) };
    this.query = this.#querySettled as never;
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | undefined {
    const connected = this.#connect();
    if (callback === undefined) return connected.then(() => this);
    connected.then(
      () => process.nextTick(callback, null),
      (error) => process.nextTick(callback, error),
    );
    return undefined;
  }

  /** Instead of the driver's `query`: makes the session settings in each transaction. */
  #querySettled(query: string | pg.QueryConfig | pg.Submittable, ...rest: unknown[]): unknown {
    const settings = this.#settings as SettingsStatement;
    const send = super.query as (...words: unknown[]) => unknown;
    const isWhole = typeof query !== 'string' && 'submit' in query;
    if (isWhole || this.getTransactionStatus() !== 'I') return send.call(this, query, ...rest);
    const text = typeof query === 'string' ? query : query.text;
    if (/^begin\b/.test(text)) return send.call(this, `${text}; ${settings.text}`, ...rest);
    const done = rest.findLast((word) => typeof word === 'function') as QueryDone | undefined;
    const values = Array.isArray(rest[0]) ? rest[0] : undefined;
    const settled = (then: QueryDone) => send.call(this, new SettledQuery(settings, query, values, then as never));
    if (done !== undefined) return settled(done);
    return new Promise((resolve, reject) => settled((error, result) => (error ? reject(error) : resolve(result))));
  }

  /** Overrides the driver's: it would take the settings for the statement that follows them. */
  _handleParseComplete(): void {
    const { _activeQuery: active } = this.#internals;
    if (active instanceof SettledQuery && !active.isSettled) return;
    inherited._handleParseComplete.call(this);
  }

  /** Returns how many calls in a row, including this one, found the same statement unanswered. */
  countUnanswered(): number {
    const { _activeQuery: active } = this.#internals;
    this.#unansweredChecks =
      active && active === this.#checkedQuery ? this.#unansweredChecks + 1 : Number(Boolean(active));
    this.#checkedQuery = active;
    return this.#unansweredChecks;
  }

  /** Closes the socket without notice to the server; the statement in flight fails with `reason`. */
  destroy(reason: Error): void {
    this.#internals.connection.stream.destroy(reason);
  }

  /** Overrides the startup message of the driver. */
  getStartupConf(): object {
    const { options: _, application_name, ...startup } = inherited.getStartupConf.call(this);
    // pgbouncer keeps these for each client.
    if (this.#settings !== undefined) {
      return { ...startup, application_name: pooledName, TimeZone: 'UTC', DateStyle: 'ISO' };
    }
    if (!this.#sendsOptions) return { ...startup, ...(application_name && { application_name }) };
    // The server reports application_name at once: if it differs, a pooler has dropped the options.
    const naming = application_name ? ` -c application_name=${escapeOption(application_name)}` : '';
    return { ...startup, options: this.#options + naming };
  }

  /**
   * The driver derives a key and then writes to its present connection. If the host has died meanwhile, that is the
   * connection to the next one, whose login would fail (08P01): so the driver is shown this attempt's connection only.
   */
  _handleAuthSASLContinue(message: object): Promise<void> {
    return inherited._handleAuthSASLContinue.call(this.#ofThisAttempt(), message);
  }

  _handleAuthMD5Password(message: object): void {
    inherited._handleAuthMD5Password.call(this.#ofThisAttempt(), message);
  }

  #ofThisAttempt(): object {
    const { connection, saslSession } = this.#internals;
    return Object.create(this, { connection: { value: connection }, saslSession: { value: saslSession } });
  }

  async #connect(): Promise<void> {
    const internals = this.#internals;
    const defaults = { host: internals.host, port: internals.port };
    const hosts = this.#hostsToTry();
    // The timeout of the pool covers all hosts together.
    this.#deadlineMs = performance.now() + internals._connectionTimeoutMillis;
    internals._connectionTimeoutMillis = Math.floor(internals._connectionTimeoutMillis / hosts.length);
    const failures: { place: string; error: Error }[] = [];
    for (const candidate of hosts) {
      this.#hasAnswered = false;
      internals.host = candidate.host ?? defaults.host;
      internals.port = candidate.port ?? defaults.port;
      try {
        await this.#openWithOrWithoutTls();
        await this.#requireTarget();
        this.#learned.lastHost = candidate;
        this.#learned.silentHosts.delete(candidate);
        return;
      } catch (error) {
        this.#abandon();
        if (this.#hasAnswered || !isSilence(error)) this.#learned.silentHosts.delete(candidate);
        else this.#learned.silentHosts.add(candidate);
        failures.push({ place: describe(internals.host, internals.port), error: error as Error });
        // As in libpq, a server that refuses the login ends the search.
        if (internals._ending || isLoginRefused(error)) break;
      }
    }
    throw failureOfAll(failures);
  }

  /** All hosts in order; when only a primary is accepted, the last accepted one comes first, and silent ones last. */
  #hostsToTry(): readonly Host[] {
    const { hosts = [{ host: undefined, port: undefined }], targetSessionAttrs = 'any' } = this.#config;
    const { lastHost, silentHosts } = this.#learned;
    if (targetSessionAttrs === 'any') return hosts;
    const rank = (host: Host) => (silentHosts.has(host) ? 2 : host === lastHost ? 0 : 1);
    return hosts.toSorted((a, b) => rank(a) - rank(b));
  }

  async #openWithOrWithoutTls(): Promise<void> {
    if (this.#config.prefersTls && this.#learned.isPlain) this.#internals.ssl = false;
    try {
      await this.#open();
    } catch (error) {
      if (!this.#config.prefersTls || !hasNoTls(error)) throw error;
      this.#learned.isPlain = true;
      this.#abandon();
      this.#internals.ssl = false;
      await this.#open();
    }
  }

  /** Connects to the current host, with the session settings in force. */
  async #open(): Promise<void> {
    if (this.#settings !== undefined) return this.#openOnce(false);
    try {
      await this.#openOnce(!this.#learned.ignoresOptions);
    } catch (error) {
      // protocol_violation: pgbouncer refuses unknown parameters.
      if (!this.#sendsOptions || (error as { code?: string }).code !== '08P01') throw error;
      this.#learned.ignoresOptions = true;
      this.#abandon();
      await this.#openOnce(false);
    }
    const { application_name: name } = this.#internals.connectionParameters;
    if (this.#sendsOptions && (!name || this.#reported.get('application_name') === name)) return;
    this.#learned.ignoresOptions = true;
    await this.query(this.#settingsText(false));
  }

  /** Makes the session settings, `isLocal`: until the end of the transaction. */
  #settingsText(isLocal: boolean): string {
    const { application_name: name } = this.#internals.connectionParameters;
    const settings = [...settingsOf(this.#options), ...(name ? [['application_name', name] as const] : [])];
    const calls = settings.map(([key, value]) => {
      return `set_config(${this.escapeLiteral(key)}, ${this.escapeLiteral(value)}, ${isLocal})`;
    });
    return `select ${calls.join(', ')}`;
  }

  async #openOnce(sendsOptions: boolean): Promise<void> {
    this.#renew();
    this.#sendsOptions = sendsOptions;
    const reported = new Map<string, string>();
    this.#reported = reported;
    const { connection } = this.#internals;
    connection.on('parameterStatus', (({ parameterName, parameterValue }: Record<string, string>) => {
      reported.set(parameterName as string, parameterValue as string);
    }) as never);
    const connected = super.connect();
    connection.stream.once('data', () => {
      this.#hasAnswered = true;
      this.#extendTimeout();
    });
    await connected;
  }

  /**
   * A server that has begun to answer is not dead: it gets the time that is left for all hosts. With its share alone, a
   * machine that is starved after a failover gives up one handshake after another, and is busy with nothing else.
   */
  #extendTimeout(): void {
    const internals = this.#internals;
    if (internals.connectionTimeoutHandle === undefined || internals._connected) return;
    const { connection } = internals;
    clearTimeout(internals.connectionTimeoutHandle);
    internals.connectionTimeoutHandle = setTimeout(
      () => connection.stream.destroy(new Error('timeout expired')),
      Math.max(this.#deadlineMs - performance.now(), internals._connectionTimeoutMillis),
    );
    internals.connectionTimeoutHandle.unref();
  }

  /** PostgreSQL 14 and newer report these at once. A pooler may not; then they are queried. */
  async #requireTarget(): Promise<void> {
    const target = this.#config.targetSessionAttrs ?? 'any';
    if (target === 'any') return;
    let inRecovery = this.#reported.get('in_hot_standby');
    let readOnly = this.#reported.get('default_transaction_read_only');
    if (inRecovery === undefined || readOnly === undefined) {
      const { rows } = await this.query(
        `select case when pg_is_in_recovery() then 'on' else 'off' end as in_recovery,
                current_setting('transaction_read_only') as read_only`,
      );
      inRecovery = rows[0].in_recovery;
      readOnly = rows[0].read_only;
    }
    if (inRecovery === 'on') throw unsuited('the server is a standby');
    if (target === 'read-write' && readOnly === 'on') throw unsuited('the server is read-only');
  }

  /** Closes the connection of a failed attempt. */
  #abandon(): void {
    const { connection, connectionTimeoutHandle } = this.#internals;
    clearTimeout(connectionTimeoutHandle);
    connection.removeAllListeners();
    connection.on('error', () => {});
    connection.stream.destroy();
    this.#isAbandoned = true;
  }

  /** Resets the client for another attempt. */
  #renew(): void {
    if (!this.#isAbandoned) return;
    this.#isAbandoned = false;
    const internals = this.#internals;
    const { connectionParameters, ssl } = internals;
    const { keepAlive, stream } = this.#config;
    internals.connection = new pg.Connection({
      ssl,
      sslNegotiation: connectionParameters.sslnegotiation,
      keepAlive: keepAlive ?? false,
      stream,
    } as never) as Internals['connection'];
    Object.assign(internals, {
      readyForQuery: false,
      _connecting: false,
      _connected: false,
      _connectionError: false,
      _queryable: true,
      _ended: false,
    });
  }

  get #internals(): Internals {
    return this as unknown as Internals;
  }
}

/** The driver's error when the time for a host is over, or the system's when its machine cannot be reached. */
const isSilence = (error: unknown) =>
  (error as Error).message === 'timeout expired' ||
  ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'].includes((error as { code?: string }).code ?? '');

/** The driver's error when a server answers that it has no TLS. */
const hasNoTls = (error: unknown) => (error as Error).message === 'The server does not support SSL connections';

function unsuited(reason: string): Error {
  return Object.assign(new Error(reason), { code: '25006' });
}

function failureOfAll(failures: { place: string; error: Error }[]): Error {
  const last = failures.at(-1)?.error as Error;
  if (failures.length === 1) return last;
  const reasons = failures.map(({ place, error }) => `${place} (${reasonOf(error)})`).join(', ');
  return Object.assign(new Error(`no host will do: ${reasons}`, { cause: last }), {
    code: (last as { code?: string }).code ?? 'ECONNREFUSED',
  });
}

/** The message of an error; some network errors have only a code. */
export function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || 'unknown';
}

const escapeOption = (value: string) => value.replaceAll(/[\\\s]/g, '\\$&');

/** Parses `-c name=value`, `-cname=value` and `--name=value` as the server does: a backslash escapes a space. */
function settingsOf(options: string): [string, string][] {
  const words = options.match(/(?:\\.|[^\s\\])+/gs)?.map((word) => word.replaceAll(/\\(.)/gs, '$1')) ?? [];
  const assignments: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    if (word === '-c') assignments.push(words[++i] ?? '');
    else if (word.startsWith('--'))
      assignments.push(word.slice(2).replace(/^[^=]*/, (name) => name.replaceAll('-', '_')));
    else if (word.startsWith('-c')) assignments.push(word.slice(2));
  }
  return assignments.flatMap((assignment): [string, string][] => {
    const [name, value] = assignment.split(/=(.*)/s);
    return name && value !== undefined ? [[name, value]] : [];
  });
}
