import { dayMs } from '../vocabulary/clock.ts';
import {
  databaseUrl,
  durationOfAtLeast,
  durations,
  integer,
  type Kind,
  networks,
  oneOf,
  text,
  url,
  words,
} from './setting-kinds.ts';

/** Says in one line what is wrong with the configuration, and ends the start. */
export class SettingsError extends Error {}

interface Setting<Value> {
  kind: Kind<Value>;
  /** As it would be written; undefined where there is none. */
  default?: string;
  description: string;
  /** Never shown in a message or a log. */
  secret?: boolean;
}

function setting<Value>(
  kind: Kind<Value>,
  options: { default: string; description: string; secret?: boolean },
): Setting<Value> & { default: string };
function setting<Value>(kind: Kind<Value>, options: { description: string; secret?: boolean }): Setting<Value>;
function setting<Value>(kind: Kind<Value>, options: Omit<Setting<Value>, 'kind'>): Setting<Value> {
  return { kind, ...options };
}

/** Every setting there is, by its dotted name (decisions, Configuration). docs/configuration.md is written from this. */
export const settings = {
  'app.server.host': setting(text, { default: '127.0.0.1', description: 'The address to listen on.' }),
  'app.server.port': setting(integer(0, 65_535), {
    default: '8080',
    description: 'The port to listen on; 0 takes a free one.',
  }),
  'app.server.trust-proxy': setting(words, {
    description: 'Addresses or networks of proxies whose X-Forwarded-For is believed.',
  }),
  'app.data-dir': setting(text, {
    default: './data',
    description: 'Where the embedded PostgreSQL, the generated keys and unsent mail are kept.',
  }),
  'app.database.url': setting(databaseUrl, {
    description:
      'A PostgreSQL 15 or newer to use instead of the embedded one. Several hosts are tried in order: `postgres://user:password@h1:5432,h2:5432/florin?target_session_attrs=read-write`.',
    secret: true,
  }),
  'app.database.direct-url': setting(databaseUrl, {
    description:
      'The same database past a pooler, for the listener and migrations, which need a session of their own. Without it, app.database.url.',
    secret: true,
  }),
  'app.database.connections': setting(integer(2, 500), {
    default: '10',
    description:
      'Connections for requests. Besides, a node has one each for the batch writer, the batch reader, subscriptions, the lookout, the listener and the primary monitor, two for lists, four for processing and five for its workers.',
  }),
  'app.role': setting(oneOf('all', 'api', 'worker'), {
    default: 'all',
    description: 'api serves requests, worker sends webhooks and folds totals, all does both.',
  }),
  'app.deployment-mode': setting(oneOf('STANDALONE', 'CLUSTER'), {
    description:
      'STANDALONE without a database url, else CLUSTER. CLUSTER needs keys that are given, and refuses private webhook addresses.',
  }),
  'app.public-url': setting(url('http:', 'https:'), {
    description: 'How people reach this service; links in mail are built from it. Without it: http://host:port.',
  }),
  'app.admin.account': setting(text, { default: 'admin', description: 'The administrator made at first start.' }),
  'app.admin.password': setting(text, {
    description: 'Its password; without one a random one is printed once and kept in <data-dir>/admin-password.',
    secret: true,
  }),
  'app.jwt.access-token-expire': setting(durationOfAtLeast(1000, '1s'), {
    default: '24h',
    description: 'How long an access token serves.',
  }),
  'app.jwt.refresh-token-expire': setting(durationOfAtLeast(1000, '1s'), {
    default: '7d',
    description: 'How long a session lasts at most.',
  }),
  'app.jwt.keys': setting(text, {
    description:
      'Signing keys as kid:base64 of 32 bytes, comma-separated: the first signs, all verify. Made at first start outside CLUSTER mode.',
    secret: true,
  }),
  'app.encryption.keys': setting(text, {
    description:
      'Keys that seal stored secrets, written as app.jwt.keys: the first seals, all open. Made at first start outside CLUSTER mode. A key that is lost for good stands as kid:lost.',
    secret: true,
  }),
  'app.password.min-length': setting(integer(6, 128), {
    default: '6',
    description: 'The shortest password that can be set.',
  }),
  'app.rate-limit.requests-per-minute': setting(integer(1, 1_000_000_000), {
    description:
      'Requests one caller (a user with all their keys) may make in a minute; without it there is no such limit.',
  }),
  'app.webhook.timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '10s',
    description: 'How long one delivery attempt may take in all.',
  }),
  'app.webhook.retry-intervals': setting(durations, {
    default: '1m,5m,30m',
    description: 'The waits after each failed attempt; when they are used up the delivery has failed.',
  }),
  'app.webhook.max-in-flight': setting(integer(1, 10_000), {
    default: '512',
    description: 'Deliveries one process sends at a time.',
  }),
  'app.webhook.keep-attempts': setting(durationOfAtLeast(dayMs, 'a day'), {
    default: '30d',
    description: 'How long each delivery attempt is kept, with the answer it got.',
  }),
  'app.webhook.keep-deliveries': setting(durationOfAtLeast(dayMs, 'a day'), {
    description:
      'How long deliveries are kept once they have succeeded, failed or been cancelled; without it, as long as payments. Events stay in any case.',
  }),
  'app.webhook.allow-targets': setting(networks, {
    description: 'Private networks that webhooks may reach outside STANDALONE mode.',
  }),
  'app.provider.timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '20s',
    description: 'How long one call of a payment provider may take in all; after it the outcome is unknown.',
  }),
  'app.sandbox.enabled': setting(oneOf('true', 'false'), {
    description:
      'Whether channels may name the sandbox, a provider that moves no money: true in STANDALONE mode, else false. Its payments stand in the same ledger and statistics as real ones.',
  }),
  'app.provider.stripe.url': setting(url('http:', 'https:'), {
    description: "Where Stripe is reached instead of its own address: a simulator, or the network's way out.",
  }),
  'app.provider.mollie.url': setting(url('http:', 'https:'), {
    description: "Where Mollie is reached instead of its own address: a simulator, or the network's way out.",
  }),
  'app.subscription.retry-intervals': setting(durations, {
    default: '2d,5d,7d,7d',
    description:
      'The waits after each payment of a subscription that failed, until the next try; when they are used up it is cancelled.',
  }),
  'app.mail.url': setting(url('smtp:', 'smtps:'), {
    description: 'The SMTP server; without one, mail is written to <data-dir>/mail.',
    secret: true,
  }),
  'app.mail.from': setting(text, { default: 'Florin <florin@localhost>', description: 'The sender of mail.' }),
  'app.drill.fail-point': setting(text, {
    description:
      'For drills, refused in CLUSTER mode: where a payment is on its way when this process is ended as by kill -9, such as begun or answered:3.',
  }),
  'app.log.level': setting(oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'), {
    default: 'info',
    description: 'debug logs every request, info those refused.',
  }),
};

export type SettingName = keyof typeof settings;
type ValueOf<Name extends SettingName> = (typeof settings)[Name] extends { kind: Kind<infer Value> } ? Value : never;
type Defaulted<Name extends SettingName> = (typeof settings)[Name] extends { default: string } ? true : false;

/** The settings in force, each under its dotted name. */
export type Settings = {
  readonly [Name in SettingName]: Defaulted<Name> extends true ? ValueOf<Name> : ValueOf<Name> | undefined;
} & { readonly 'app.deployment-mode': 'STANDALONE' | 'CLUSTER'; readonly 'app.sandbox.enabled': 'true' | 'false' };

/** The names everyone knows, for the same settings. */
const shortNames: Record<string, SettingName> = {
  PORT: 'app.server.port',
  HOST: 'app.server.host',
  DATABASE_URL: 'app.database.url',
};

/** `app.jwt.access-token-expire` in the environment: `APP_JWT_ACCESS_TOKEN_EXPIRE`. */
export function environmentName(name: string): string {
  return name.toUpperCase().replace(/[.-]/g, '_');
}

/** Reads the settings: the environment's long names before its short ones, those before the file, that before defaults. */
export function readSettings(environment: Record<string, string | undefined>, file: unknown): Settings {
  const given = new Map<SettingName, { text: string; from: string }>();
  for (const [name, { text, from }] of entriesOfFile(file)) given.set(name, { text, from });
  for (const [short, name] of Object.entries(shortNames)) {
    const value = environment[short];
    if (value) given.set(name, { text: value, from: short });
  }
  for (const [name, { text, from }] of entriesOfEnvironment(environment)) given.set(name, { text, from });

  const values: Record<string, unknown> = {};
  for (const [name, { kind, default: fallback, secret }] of Object.entries(settings) as [
    SettingName,
    Setting<unknown>,
  ][]) {
    const { text: written, from } = given.get(name) ?? { text: fallback, from: name };
    values[name] = written === undefined ? undefined : parsed(kind, written, from, secret);
  }
  if (values['app.database.direct-url'] !== undefined && values['app.database.url'] === undefined) {
    throw new SettingsError('app.database.direct-url needs app.database.url beside it.');
  }
  values['app.deployment-mode'] ??= values['app.database.url'] === undefined ? 'STANDALONE' : 'CLUSTER';
  values['app.sandbox.enabled'] ??= String(values['app.deployment-mode'] === 'STANDALONE');
  return values as Settings;
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
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith('APP_') || !value) continue;
    const name = nameOf.get(variable);
    if (name === undefined) throw new SettingsError(unknown(variable));
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
      path.length === 0 ? 'florin.yaml must hold settings, nested by name.' : `florin.yaml: ${unknown(name)}`,
    );
  }
  return Object.entries(file).flatMap(([key, inner]) => entriesOfFile(inner, [...path, key]));
}

const unknown = (name: string) => `${name} is not a setting; docs/configuration.md lists them.`;
