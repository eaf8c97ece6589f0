import { describe, expect, test } from 'vitest';
import { environmentName, readSettings, type SettingName, SettingsError, settings } from './settings.ts';

const names = Object.keys(settings) as SettingName[];

/** The message of the refusal. */
function lineOf(environment: Record<string, string>, file?: unknown): string {
  try {
    readSettings(environment, file);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  return 'taken';
}

describe('defaults', () => {
  test('match the decisions', () => {
    expect(readSettings({}, undefined)).toMatchObject({
      'app.server.host': '127.0.0.1',
      'app.server.port': 8080,
      'app.data-dir': './data',
      'app.database.url': undefined,
      'app.role': 'all',
      'app.deployment-mode': 'STANDALONE',
      'app.public-url': undefined,
      'app.admin.account': 'admin',
      'app.admin.password': undefined,
      'app.jwt.access-token-expire': 24 * 3_600_000,
      'app.jwt.refresh-token-expire': 7 * 86_400_000,
      'app.jwt.keys': undefined,
      'app.encryption.keys': undefined,
      'app.password.min-length': 6,
      'app.webhook.timeout': 10_000,
      'app.webhook.retry-intervals': [60_000, 300_000, 1_800_000],
      'app.webhook.allow-targets': undefined,
      'app.mail.url': undefined,
      'app.rate-limit.requests-per-minute': undefined,
    });
  });

  test('each is a valid value of its setting', () => {
    for (const name of names) {
      const { default: written, kind } = settings[name] as {
        default?: string;
        kind: { parse: (text: string) => unknown };
      };
      if (written !== undefined) expect(() => kind.parse(written), name).not.toThrow();
    }
  });

  test('the deployment mode depends on the database url unless it is set', () => {
    const DATABASE_URL = 'postgres://localhost/florin';
    expect(readSettings({ DATABASE_URL }, undefined)['app.deployment-mode']).toBe('CLUSTER');
    const standalone = { DATABASE_URL, APP_DEPLOYMENT_MODE: 'standalone' };
    expect(readSettings(standalone, undefined)['app.deployment-mode']).toBe('STANDALONE');
    expect(readSettings({ APP_DEPLOYMENT_MODE: 'CLUSTER' }, undefined)['app.deployment-mode']).toBe('CLUSTER');
  });
});

describe('names', () => {
  test('each setting has its own name in the environment', () => {
    expect(environmentName('app.jwt.access-token-expire')).toBe('APP_JWT_ACCESS_TOKEN_EXPIRE');
    expect(new Set(names.map(environmentName)).size).toBe(names.length);
  });

  test('precedence: long name in the environment, short name, file, default', () => {
    const portOf = (environment: Record<string, string>, file?: unknown) =>
      readSettings(environment, file)['app.server.port'];
    const file = { app: { server: { port: 3 } } };
    expect(portOf({ APP_SERVER_PORT: '1', PORT: '2' }, file)).toBe(1);
    expect(portOf({ PORT: '2' }, file)).toBe(2);
    expect(portOf({}, file)).toBe(3);
    expect(portOf({})).toBe(8080);
  });

  test('an empty variable is ignored', () => {
    expect(readSettings({ PORT: '', APP_ROLE: '' }, undefined)).toMatchObject({
      'app.server.port': 8080,
      'app.role': 'all',
    });
  });

  test.each([
    ['APP_SERVER_PROT', 'APP_SERVER_PORT'],
    ['APP_PORT', 'APP_SERVER_PORT'],
    ['APP_APP_SERVER_PORT', 'APP_SERVER_PORT'],
    ['APP_', undefined],
    ['APP_NONSENSE', undefined],
  ])('%s is no setting: %s was meant', (name, meant) => {
    const advice = meant === undefined ? '' : ` Did you mean ${meant}?`;
    expect(lineOf({ [name]: '1' } as never)).toBe(
      `${name} is not a setting.${advice} docs/reference/settings.md lists them.`,
    );
  });

  test('other variables of the environment are ignored', () => {
    expect(lineOf({ APPDATA: 'x', PATH: '/bin', app_role: 'x', HTTP_PROXY: 'x' })).toBe('taken');
  });
});

describe('the file', () => {
  test('nests by name and accepts lists', () => {
    const file = {
      app: {
        server: { port: 9000, 'trust-proxy': ['10.0.0.0/8', '127.0.0.1'] },
        jwt: { 'access-token-expire': '1h' },
        webhook: { 'retry-intervals': [1, '2m'] },
      },
    };
    expect(readSettings({}, file)).toMatchObject({
      'app.server.port': 9000,
      'app.server.trust-proxy': ['10.0.0.0/8', '127.0.0.1'],
      'app.jwt.access-token-expire': 3_600_000,
      'app.webhook.retry-intervals': [1_000, 120_000],
    });
  });

  test('may be missing, empty, or end after a name', () => {
    for (const file of [undefined, null, {}, { app: null }, { app: { server: null } }]) {
      expect(lineOf({}, file)).toBe('taken');
    }
  });

  test.each([
    [{ server: { port: 1 } }, /server\.port is not a setting/],
    [{ app: { server: { prot: 1 } } }, /app\.server\.prot is not a setting/],
    [{ app: { server: { port: { number: 1 } } } }, /app\.server\.port must be one value/],
    [{ app: { server: 1 } }, /app\.server is not a setting/],
    [{ app: { role: true } }, /app\.role must be one of/],
    [{ app: { __proto__: 1, toString: 1 } }, /app\.toString is not a setting/],
    ['text', /must hold settings/],
    [[1], /must hold settings/],
  ])('%j is refused by name', (file, line) => {
    expect(lineOf({}, file)).toMatch(line);
  });
});

describe('values', () => {
  test.each([
    ['90s', 90_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
    ['5m', 300_000],
    ['90', 90_000],
    ['1.5', 1_500],
    ['1.5h', 5_400_000],
    [' 90s ', 90_000],
  ])('the duration %s', (written, ms) => {
    expect(readSettings({ APP_JWT_ACCESS_TOKEN_EXPIRE: written }, undefined)['app.jwt.access-token-expire']).toBe(ms);
  });

  test.each(['soon', '1w', '-1s', '1h30m', '1e3', '0.5s', '0', 's', '1 s', '99999999999'])(
    'no duration for a token: %s',
    (written) => {
      expect(lineOf({ APP_JWT_ACCESS_TOKEN_EXPIRE: written })).toMatch(/^APP_JWT_ACCESS_TOKEN_EXPIRE must be .*\.$/);
    },
  );

  test.each([
    ['0.1s', 100],
    ['1h', 3_600_000],
    ['0.099s', undefined],
    ['61m', undefined],
  ])('the delay of the sandbox is from 0.1s to 1h: %s', (APP_SANDBOX_DELAY, ms) => {
    if (ms !== undefined) expect(readSettings({ APP_SANDBOX_DELAY }, undefined)['app.sandbox.delay']).toBe(ms);
    else expect(lineOf({ APP_SANDBOX_DELAY })).toMatch(/^APP_SANDBOX_DELAY must be .*\.$/);
  });

  test.each(['1.5', '-1', '65536', '0x50', '1e3', '', ' ', '8080 '].filter((written) => written.trim() !== ''))(
    'no port: %s',
    (written) => {
      expect(lineOf({ PORT: written })).toBe(
        `PORT must be an integer from 0 to 65535, not ${JSON.stringify(written)}.`,
      );
    },
  );

  test('line ends that files and shells leave behind a value are not part of it, in any setting', () => {
    for (const end of ['\n', '\r', '\r\n', '\n\n']) {
      const environment = {
        APP_ADMIN_PASSWORD: `plenty of rivers${end}`,
        APP_MAIL_FROM: `Shop <shop@example.com>${end}`,
        APP_PUBLIC_URL: `https://pay.example.com${end}`,
        APP_SECURITY_CONTACT: `ops@example.com${end}`,
        APP_ROLE: `api${end}`,
        PORT: `80${end}`,
        APP_DATA_DIR: end,
      };
      expect(readSettings(environment, undefined)).toMatchObject({
        'app.admin.password': 'plenty of rivers',
        'app.mail.from': 'Shop <shop@example.com>',
        'app.public-url': 'https://pay.example.com',
        'app.security.contact': 'mailto:ops@example.com',
        'app.role': 'api',
        'app.server.port': 80,
        'app.data-dir': './data',
      });
      const file = { app: { admin: { password: `plenty of rivers${end}` } } };
      expect(readSettings({}, file)['app.admin.password']).toBe('plenty of rivers');
    }
  });

  test.each([
    ['APP_ADMIN_PASSWORD', 'two\rlines'],
    ['APP_ADMIN_ACCOUNT', 'two\nlines'],
    ['APP_DATA_DIR', 'tab\tulator'],
    ['APP_MAIL_FROM', 'Shop\r\nBcc: x <shop@example.com>'],
    ['APP_MAIL_URL', 'smtp://mail\n.example.com'],
    ['APP_PUBLIC_URL', 'https://pay\t.example.com'],
    ['DATABASE_URL', 'postgres://u:canary\r@db.example/florin'],
  ])('%s is one line without control characters', (name, value) => {
    expect(lineOf({ [name]: value })).toMatch(new RegExp(`^${name} must be one line without control characters`));
  });

  test('a word is accepted in any case', () => {
    expect(readSettings({ APP_ROLE: 'Worker' }, undefined)['app.role']).toBe('worker');
  });

  test.each([
    [{ APP_WEBHOOK_RETRY_INTERVALS: '1m,5x' }, /^APP_WEBHOOK_RETRY_INTERVALS must be a duration/],
    [{ APP_WEBHOOK_RETRY_INTERVALS: '1m,' }, /^APP_WEBHOOK_RETRY_INTERVALS must be a duration/],
    [{ APP_PASSWORD_MIN_LENGTH: '5' }, /^APP_PASSWORD_MIN_LENGTH must be an integer from 6/],
    [{ APP_ROLE: 'boss' }, /^APP_ROLE must be one of all, api, worker, not "boss"\.$/],
    [{ APP_MAIL_URL: 'http://localhost' }, /^APP_MAIL_URL must be an address/],
    [{ DATABASE_URL: 'mysql://localhost/florin' }, /^DATABASE_URL must be an address/],
    [{ PORT: '0', APP_SERVER_PORT: '-1' }, /^APP_SERVER_PORT must be an integer/],
  ])('no value: %j', (environment, line) => {
    expect(lineOf(environment as never)).toMatch(line);
  });

  test('IPv4 and IPv6 networks are accepted', () => {
    const taken = readSettings({ APP_WEBHOOK_ALLOW_TARGETS: '10.0.0.0/8, fd00::/8,192.168.1.1/32' }, undefined);
    expect(taken['app.webhook.allow-targets']).toEqual(['10.0.0.0/8', 'fd00::/8', '192.168.1.1/32']);
    for (const wrong of ['10.0.0.0', '10.0.0.0/33', 'fd00::/129', '10.0/8', 'here/8', '10.0.0.0/']) {
      expect(lineOf({ APP_WEBHOOK_ALLOW_TARGETS: wrong })).toMatch(/names .*, which is not a network/);
    }
  });

  test.each([
    ['APP_PUBLIC_URL', 'http://pay.example:0', 'port 0'],
    ['APP_PUBLIC_URL', 'https://pay..example', 'labels'],
    ['APP_PUBLIC_URL', `https://${'a'.repeat(64)}.example`, 'labels'],
    ['APP_MAIL_URL', 'smtp://mail.example:0', 'port 0'],
    ['APP_TRACING_ENDPOINT', `http://${'a.'.repeat(130)}example`, 'at most 253'],
  ])('an address that can never be reached is refused: %s=%s', (name, address, reason) => {
    expect(lineOf({ [name]: address })).toContain(reason);
  });

  test.each([
    ['https://ada@pay.example', 'a user name'],
    ['https://pay.example/?shop=1', 'a query'],
    ['https://pay.example/#top', 'a fragment'],
    ['https://pay.example//florin', 'between single slashes'],
    ['https://pay.example/flo"rin', 'between single slashes'],
    ['https://pay.example/flo%2Frin', 'between single slashes'],
  ])('a public address that no path can follow is refused: %s', (address, reason) => {
    expect(lineOf({ APP_PUBLIC_URL: address })).toContain(reason);
  });

  test('a public address may have a path', () => {
    const { 'app.public-url': address } = readSettings(
      { APP_PUBLIC_URL: 'https://pay.example/a/../florin/' },
      undefined,
    );
    expect(address).toBe('https://pay.example/florin');
  });

  test('a trailing slash of the public address is removed', () => {
    expect(readSettings({ APP_PUBLIC_URL: 'https://pay.example/' }, undefined)['app.public-url']).toBe(
      'https://pay.example',
    );
  });

  test('an invalid value is repeated in the message, unless it is a secret', () => {
    expect(lineOf({ DATABASE_URL: 'mysql://u:canary@h/d' })).not.toContain('canary');
    expect(lineOf({ APP_MAIL_URL: 'http://u:canary@h' })).not.toContain('canary');
    expect(lineOf({ APP_PUBLIC_URL: 'ftp://h' })).toContain('ftp://h');
    const secret = names.filter((name) => (settings[name] as { secret?: boolean }).secret);
    expect(secret.toSorted()).toEqual([
      'app.admin.password',
      'app.database.direct-url',
      'app.database.replica-url',
      'app.database.url',
      'app.encryption.keys',
      'app.jwt.keys',
      'app.mail.url',
      'app.metrics.token',
    ]);
  });
});

test('an archive beside the database, or of a database elsewhere, is refused with what to do instead', () => {
  const read = (environment: Record<string, string>) => () => readSettings(environment, undefined);
  expect(read({ APP_BACKUP_ARCHIVE: '/data/archive', APP_DATA_DIR: '/data' })).toThrow(/outside of app.data-dir/);
  expect(read({ APP_BACKUP_ARCHIVE: '/srv', APP_DATA_DIR: '/srv/florin' })).toThrow(/outside of app.data-dir/);
  expect(read({ APP_BACKUP_ARCHIVE: '/archive', DATABASE_URL: 'postgres://localhost/florin' })).toThrow(
    /is for the embedded PostgreSQL; with app.database.url, archive .* with pgBackRest/,
  );
  expect(read({ APP_BACKUP_ARCHIVE: '/srv/data-archive', APP_DATA_DIR: '/srv/data' })()['app.backup.archive']).toBe(
    '/srv/data-archive',
  );
});
