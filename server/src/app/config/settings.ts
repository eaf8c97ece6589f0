import { resolve } from 'node:path';
import { dayMs, hourMs } from '../../core/clock.ts';
import { nearestName } from '../../platform/http/nearest-name.ts';
import { connectionOf } from '../../platform/postgres/connection/connection-url.ts';
import { type SettingDeclaration, SettingsError, type SettingsOf, setting } from '../../platform/settings/declare.ts';
import {
  contact,
  durationOfAtLeast,
  integer,
  type Kind,
  keys,
  oneLine,
  oneOf,
  origins,
  proxies,
  serviceAddress,
  text,
  url,
} from '../../platform/settings/kinds.ts';
import { type ModuleSettings, modules } from '../modules.ts';
import { processesOf } from './processes.ts';
import { requireStrict, strictDefaults } from './strict.ts';

export { SettingsError } from '../../platform/settings/declare.ts';

/** Only validated here: it is parsed where connections are made. */
const databaseUrl: Kind<string> = {
  name: 'address (postgres:, postgresql:)',
  parse: (value) => {
    connectionOf(oneLine(value));
    return value;
  },
};

/** A duration in ms; 0: off. */
const expectedAge: Kind<number> = {
  name: 'duration, or off',
  parse: (value) => (value.toLowerCase() === 'off' ? 0 : durationOfAtLeast(hourMs, '1h').parse(value)),
};

/** The settings of the node itself; each module declares its own (docs/decisions/embedded-postgresql-and-start.md). */
const nodeSettings = {
  'app.server.host': setting(text, { default: '127.0.0.1', description: 'The address to listen on.' }),
  'app.server.port': setting(integer(0, 65_535), {
    default: '8080',
    description: 'The port to listen on; 0 takes a free one.',
  }),
  'app.server.trust-proxy': setting(proxies, {
    description:
      'Addresses or networks of proxies whose X-Forwarded-For header is trusted, ' +
      'in which ports and IPv4 addresses in IPv6 notation are understood; also loopback, ' +
      'linklocal and uniquelocal. Without it the header is ignored, and limits per address count all ' +
      'requests through a proxy as from one address.',
  }),
  'app.server.connections-per-address': setting(integer(1, 1_000_000), {
    default: '2000',
    description:
      'Open connections allowed from one address (a /64 network of IPv6) to each process of the node. ' +
      'Those of app.server.trust-proxy are not limited.',
  }),
  'app.server.connections': setting(integer(1, 1_000_000), {
    default: '40000',
    description:
      'Open connections allowed in all, to each process of the node: ' +
      'never more than three quarters of the files that it may open. Further ones get 503.',
  }),
  'app.cors.origins': setting(origins, {
    description:
      'Origins of browser applications that may call this service from their own pages, such as https://app.example.com. Each is named in full; there is no wildcard. Without it, browsers allow no other origin.',
  }),
  'app.data-dir': setting(text, {
    default: './data',
    description: 'Where the embedded PostgreSQL, the generated keys and unsent mail are kept.',
  }),
  'app.database.url': setting(databaseUrl, {
    description:
      'A PostgreSQL 15 or newer to use instead of the embedded one. Several hosts are tried in order: ' +
      '`postgres://user:password@h1:5432,h2:5432/florin?target_session_attrs=read-write`.',
    secret: true,
  }),
  'app.database.direct-url': setting(databaseUrl, {
    description:
      'The same database without a pooler, for the listener and migrations, which need a session of their ' +
      'own. With it, session settings are made in each transaction, for a pooler in transaction mode. ' +
      'Default: app.database.url.',
    secret: true,
  }),
  'app.database.replica-url': setting(databaseUrl, {
    description:
      'A standby of the same PostgreSQL, for lists, exports and statistics that sessions read, and for ' +
      '`florin verify --replica`. Not through a pooler in transaction mode. Default: none, the primary answers ' +
      'everything.',
    secret: true,
  }),
  'app.database.replica-wait': setting(durationOfAtLeast(0, '0s'), {
    default: '1s',
    description:
      'How long a read waits until the replica has everything that was committed before the request. Then the ' +
      'primary answers it.',
  }),
  'app.database.expected-standbys': setting(integer(0, 100), {
    description:
      'Synchronous standbys that must follow the primary: alerts and `florin doctor` find fault with fewer. Default: ' +
      'those for which commits wait by synchronous_standby_names.',
  }),
  'app.database.connections': setting(integer(2, 500), {
    default: '10',
    description:
      'Connections for requests. A node has thirteen more for its workers, look-ups and lists, ' +
      'and one each for the batch writer, the listener and the primary monitor.',
  }),
  'app.role': setting(oneOf('all', 'api', 'worker'), {
    default: 'all',
    description: 'api serves requests, worker sends webhooks and rolls up totals, all does both.',
  }),
  'app.processes': setting(integer(1, 64), {
    description:
      'Processes of this node. The first does everything, the others only serve requests, on the same port. ' +
      'Each takes about 110 MB and up to app.database.connections + 8 connections. Default: ' +
      'one for each core, at most 4, on Linux with at least 4 cores; else 1.',
  }),
  'app.deployment-mode': setting(oneOf('STANDALONE', 'CLUSTER'), {
    description:
      'STANDALONE without a database url, else CLUSTER. CLUSTER requires configured keys and refuses private ' +
      'webhook addresses.',
  }),
  'app.public-url': setting(serviceAddress, {
    description:
      'The public address of this service, used for links in mail and for callbacks. It may have a path: https://example.com/florin. Default: http://host:port.',
  }),
  'app.backup.expected': setting(expectedAge, {
    description:
      'How old the last proven backup (`florin backup`) may be before the console alerts platform administrators, ' +
      'such as 24h; off: never. Default: 24h, and off with app.database.url, whose backups are made elsewhere.',
  }),
  'app.backup.archive': setting(text, {
    description:
      'A folder on another disk, to which the write-ahead log of the embedded PostgreSQL is copied at least once a ' +
      'minute, so that florin restore can go back to any second (docs/guides/backup.md, "Back to a second"). It must ' +
      'exist. Without it nothing is archived. With app.database.url, archive with the tools of that PostgreSQL.',
  }),
  'app.admin.account': setting(text, {
    default: 'admin',
    description: 'The account of the administrator created at the first start.',
  }),
  'app.admin.password': setting(text, {
    description:
      'The password of that administrator. Without it a random one is stored in ' +
      '<data-dir>/admin-password, and shown once if the start is in a terminal.',
    secret: true,
  }),
  'app.jwt.keys': setting(keys, {
    description:
      'Signing keys as kid:base64 of 32 bytes, comma-separated: the first signs, all verify. ' +
      'Generated at the first start outside CLUSTER mode.',
    secret: true,
  }),
  'app.encryption.keys': setting(keys, {
    description:
      'Keys that encrypt stored secrets, in the format of app.jwt.keys: the first encrypts, all decrypt. ' +
      'Generated at the first start outside CLUSTER mode. Write kid:lost for a key that is lost for good.',
    secret: true,
  }),
  'app.rate-limit.requests-per-minute': setting(integer(1, 1_000_000_000), {
    description: 'Requests per minute of one user with all their API keys. Without it there is no limit.',
  }),
  'app.rate-limit.key-requests-per-minute': setting(integer(1, 1_000_000_000), {
    description: 'Requests per minute of one API key. Without it there is no limit.',
  }),
  'app.rate-limit.tenant-requests-per-minute': setting(integer(1, 1_000_000_000), {
    description:
      'Requests per minute of one tenant, all its users and API keys together. Without it there is no limit.',
  }),
  'app.rate-limit.address-requests-per-minute': setting(integer(1, 1_000_000_000), {
    description:
      'Requests per minute from one address (a /64 network of IPv6), with or without credentials. ' +
      'Without it there is no limit.',
  }),
  'app.rate-limit.failures-per-address': setting(integer(1, 1_000_000_000), {
    default: '100',
    description:
      'Failures from one address (a /64 network of IPv6) in 15 minutes, each: ' +
      'failed logins over all accounts, failed refreshes, failed password resets, requests for reset mails, ' +
      'and callbacks that do not verify. Further failures get 429.',
  }),
  'app.security.contact': setting(contact, {
    description:
      'Where to report a vulnerability, an e-mail address or an https: address: ' +
      'published at /.well-known/security.txt. Without it there is no such page.',
  }),
  'app.sandbox.enabled': setting(oneOf('true', 'false'), {
    description:
      'Whether channels may use the sandbox, a provider that moves no money. Default: ' +
      'true in STANDALONE mode, else false. Its payments are in the same ledger and statistics as real ones.',
  }),
  'app.mail.url': setting(url('smtp:', 'smtps:'), {
    description: 'The SMTP server. Without it, mail is written to <data-dir>/mail.',
    secret: true,
  }),
  'app.mail.from': setting(text, { default: 'Florin <florin@localhost>', description: 'The sender of mail.' }),
  'app.drill.fail-point': setting(text, {
    description:
      'For fault tests, refused in CLUSTER mode: the step of a payment or of a backup at which this process ' +
      'ends as by kill -9, such as begun or answered:3.',
  }),
  'app.metrics.token': setting(text, {
    description:
      'The Bearer token that /metrics needs. Without it, /metrics answers programs on this machine alone, ' +
      'and none that a proxy forwards.',
    secret: true,
  }),
  'app.tracing.endpoint': setting(url('http:', 'https:'), {
    description:
      'Where spans are sent in OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces. Without it nothing is traced. Needs the SDK of OpenTelemetry (docs/guides/operations.md, "Traces").',
  }),
  'app.tracing.sample-percent': setting(integer(1, 100), {
    default: '100',
    description: 'The percentage of payments that are traced, with everything that is done for them.',
  }),
  'app.log.level': setting(oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'), {
    default: 'info',
    description: 'debug logs every request, info the refused ones.',
  }),
};

/** All settings by dotted name. docs/reference/settings.md is generated from them. */
export const settings = Object.assign(
  {},
  nodeSettings,
  ...modules.map((module) => module.settings ?? {}),
) as AllSettings;

type AllSettings = typeof nodeSettings & ModuleSettings;

export type SettingName = keyof AllSettings;

/** The values of all settings, by dotted name. */
export type Settings = SettingsOf<AllSettings> & {
  readonly 'app.processes': number;
  readonly 'app.deployment-mode': 'STANDALONE' | 'CLUSTER';
  readonly 'app.backup.expected': number;
  readonly 'app.sandbox.enabled': 'true' | 'false';
};

/** Conventional short names in the environment. */
const shortNames: Record<string, SettingName> = {
  PORT: 'app.server.port',
  HOST: 'app.server.host',
  DATABASE_URL: 'app.database.url',
};

/** The name of a setting in the environment: `APP_DATA_DIR` for `app.data-dir`. */
export function environmentName(name: string): string {
  return name.toUpperCase().replace(/[.-]/g, '_');
}

/** Reads the settings. Precedence: long names in the environment, short names, the file, defaults. */
export function readSettings(environment: Record<string, string | undefined>, file: unknown): Settings {
  const given = new Map<SettingName, { text: string; from: string }>();
  for (const [name, { text, from }] of entriesOfFile(file)) given.set(name, { text: withoutLineEnd(text), from });
  for (const [short, name] of Object.entries(shortNames)) {
    const value = withoutLineEnd(environment[short] ?? '');
    if (value) given.set(name, { text: value, from: short });
  }
  for (const [name, { text, from }] of entriesOfEnvironment(environment)) given.set(name, { text, from });

  const values: Record<string, unknown> = {};
  // Read first: it decides the defaults of others.
  const isStrict = given.get('app.security.profile')?.text.trim().toLowerCase() === 'strict';
  for (const [name, { kind, default: fallback, secret }] of Object.entries(settings) as [
    SettingName,
    SettingDeclaration,
  ][]) {
    const usual = (isStrict ? strictDefaults[name] : undefined) ?? fallback;
    const { text: written, from } = given.get(name) ?? { text: usual, from: name };
    values[name] = written === undefined ? undefined : parsed(kind, written, from, secret);
  }
  if (isStrict) requireStrict(values);
  if (values['app.database.direct-url'] !== undefined && values['app.database.url'] === undefined) {
    throw new SettingsError('app.database.direct-url needs app.database.url beside it.');
  }
  if (values['app.database.replica-url'] !== undefined && values['app.database.url'] === undefined) {
    throw new SettingsError('app.database.replica-url needs app.database.url beside it.');
  }
  requireArchiveElsewhere(values);
  const role = values['app.role'] as 'all' | 'api' | 'worker';
  values['app.processes'] = processesOf({ given: values['app.processes'] as number | undefined, role });
  values['app.deployment-mode'] ??= values['app.database.url'] === undefined ? 'STANDALONE' : 'CLUSTER';
  values['app.backup.expected'] ??= values['app.database.url'] === undefined ? dayMs : 0;
  values['app.sandbox.enabled'] ??= String(values['app.deployment-mode'] === 'STANDALONE');
  return values as Settings;
}

/** An archive beside the database would be lost with it. */
function requireArchiveElsewhere(values: Record<string, unknown>): void {
  const archive = values['app.backup.archive'] as string | undefined;
  if (archive === undefined) return;
  if (values['app.database.url'] !== undefined) {
    throw new SettingsError(
      'app.backup.archive is for the embedded PostgreSQL; with app.database.url, archive its write-ahead log with ' +
        'pgBackRest or with what your provider offers.',
    );
  }
  const [folder, dataDir] = [resolve(archive), resolve(values['app.data-dir'] as string)];
  if (`${folder}/`.startsWith(`${dataDir}/`) || `${dataDir}/`.startsWith(`${folder}/`)) {
    throw new SettingsError('app.backup.archive must be outside of app.data-dir, on another disk.');
  }
}

function parsed(kind: Kind<unknown>, written: string, from: string, secret = false): unknown {
  try {
    return kind.parse(written);
  } catch (error) {
    throw new SettingsError(`${from} ${(error as Error).message}${secret ? '' : `, not ${JSON.stringify(written)}`}.`);
  }
}

function entriesOfEnvironment(environment: Record<string, string | undefined>) {
  const nameOf = new Map((Object.keys(settings) as SettingName[]).map((name) => [environmentName(name), name]));
  const entries: [SettingName, { text: string; from: string }][] = [];
  for (const [variable, written] of Object.entries(environment)) {
    const value = withoutLineEnd(written ?? '');
    if (!variable.startsWith('APP_') || !value) continue;
    const name = nameOf.get(variable);
    if (name === undefined) throw new SettingsError(unknown(variable, [...nameOf.keys()]));
    entries.push([name, { text: value, from: variable }]);
  }
  return entries;
}

function entriesOfFile(file: unknown, path: string[] = []): [SettingName, { text: string; from: string }][] {
  if (file === null || file === undefined) return [];
  const name = path.join('.');
  if (Object.hasOwn(settings, name)) {
    const list = Array.isArray(file) ? file : [file];
    if (list.some((value) => typeof value === 'object'))
      throw new SettingsError(`florin.yaml: ${name} must be one value.`);
    return [[name as SettingName, { text: list.join(','), from: `florin.yaml: ${name}` }]];
  }
  if (typeof file !== 'object' || Array.isArray(file)) {
    throw new SettingsError(
      path.length === 0
        ? 'florin.yaml must hold settings, nested by name.'
        : `florin.yaml: ${unknown(name, Object.keys(settings))}`,
    );
  }
  return Object.entries(file).flatMap(([key, inner]) => entriesOfFile(inner, [...path, key]));
}

/** Shells, YAML and files with line ends of Windows leave line ends behind a value. */
const withoutLineEnd = (value: string) => value.replace(/[\r\n]+$/, '');

function unknown(name: string, known: readonly string[]): string {
  // A name without its middle, such as APP_PORT, ends like the setting.
  const meant = nearestName(name, known) ?? known.find((one) => one.endsWith(name.slice('app'.length)));
  const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `${name} is not a setting.${advice} docs/reference/settings.md lists them.`;
}
