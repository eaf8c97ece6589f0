import { isIPv4 } from 'node:net';
import { hourMs, minuteMs } from '../../core/clock.ts';
import { connectionOf } from '../../platform/postgres/connection/connection-url.ts';
import { SettingsError } from '../../platform/settings/declare.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The defaults of settings with app.security.profile=strict, as an operator writes them. Timeouts are those of NIST SP
 * 800-63B at its second level; docs/concepts/security.md names the section of ASVS 5.0 that requires each.
 */
export const strictDefaults: Readonly<Record<string, string>> = {
  'app.password.min-length': '8',
  'app.jwt.refresh-token-expire': '12h',
  'app.security.session-idle-timeout': '30m',
  'app.security.platform-second-factor': 'required',
  'app.rate-limit.requests-per-minute': '6000',
  'app.rate-limit.tenant-requests-per-minute': '60000',
};

/** What a strict node needs, and whether the settings have it. */
const rules: readonly { need: string; isMet: (values: Values) => boolean }[] = [
  { need: 'an app.password.min-length of 8 or more', isMet: (at) => Number(at['app.password.min-length']) >= 8 },
  {
    need: 'an app.jwt.refresh-token-expire of at most 12h',
    isMet: (at) => Number(at['app.jwt.refresh-token-expire']) <= 12 * hourMs,
  },
  {
    need: 'an app.security.session-idle-timeout of at most 30m',
    isMet: (at) => Number(at['app.security.session-idle-timeout']) <= 30 * minuteMs,
  },
  {
    need: 'an app.security.step-up-lifetime of at most 10m',
    isMet: (at) => Number(at['app.security.step-up-lifetime']) <= 10 * minuteMs,
  },
  {
    need: 'app.security.platform-second-factor=required',
    isMet: (at) => at['app.security.platform-second-factor'] === 'required',
  },
  {
    need: 'an app.admin.account that is none of the usual names (admin, administrator, root, sa)',
    isMet: (at) => !isUsualAccount(String(at['app.admin.account'])),
  },
  {
    need: 'no app.admin.password, because the administrator is invited',
    isMet: (at) => at['app.admin.password'] === undefined,
  },
  {
    need: 'an app.public-url that begins with https:',
    isMet: (at) => String(at['app.public-url']).startsWith('https:'),
  },
  ...['app.mail.url', 'app.tracing.endpoint', 'app.provider.stripe.url', 'app.provider.mollie.url'].map((name) => ({
    need: `an ${name} with TLS (smtps: or https:), unless it is on this machine`,
    isMet: (at: Values) => at[name] === undefined || isEncryptedOrLocal(String(at[name])),
  })),
  ...['app.database.url', 'app.database.direct-url', 'app.database.replica-url'].map((name) => ({
    need: `sslmode=verify-full in ${name}, unless the database is on this machine`,
    isMet: (at: Values) => at[name] === undefined || isVerifiedOrLocal(String(at[name])),
  })),
];

/** Names that attackers try first (ASVS 6.3.2). */
export const usualAccounts: readonly string[] = ['admin', 'administrator', 'root', 'sa'];

/** Ignores case, as logins do. */
function isUsualAccount(account: string): boolean {
  return usualAccounts.includes(account.normalize('NFKC').toLowerCase());
}

/**
 * Refuses settings that contradict app.security.profile=strict.
 *
 * @throws SettingsError that names everything that is missing
 */
export function requireStrict(values: Values): void {
  const missing = rules.filter(({ isMet }) => !isMet(values)).map(({ need }) => need);
  if (missing.length > 0) throw new SettingsError(`app.security.profile=strict needs ${missing.join(' and ')}.`);
}

function isEncryptedOrLocal(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || protocol === 'smtps:' || isLocal(hostname);
}

function isVerifiedOrLocal(url: string): boolean {
  const { hosts } = connectionOf(url);
  const areLocal = hosts?.every(({ host }) => host?.startsWith('/') || isLocal(host ?? '')) ?? false;
  return areLocal || /[?&]sslmode=verify-full(&|$)/.test(url);
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
