import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshKeyring } from '../../platform/crypto/keyring.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../testing/postgres/database.ts';
import { administratorPassword, florinOn, urlOf } from '../../testing/service/florin.ts';
import { refusalOfStart } from '../../testing/service/refusal-of-start.ts';
import {
  type ReadyService,
  type ServiceOptions,
  type ServiceProcess,
  spawnService,
  startService,
} from '../../testing/service/service-process.ts';
import { version } from '../cli/version.ts';

let folder: string;
let db: TestDatabase;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'florin-start-'));
  db = await databaseFromTemplate();
});

afterAll(async () => {
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts that open a database use that of the test run. */
const onDatabase = (environment: Record<string, string> = {}) => ({
  PORT: '0',
  DATABASE_URL: urlOf(db.connection),
  APP_DEPLOYMENT_MODE: 'STANDALONE',
  APP_ADMIN_PASSWORD: administratorPassword,
  APP_DATA_DIR: join(folder, 'data'),
  APP_LOG_LEVEL: 'silent',
  ...environment,
});

const refusedStart = (options: ServiceOptions) => refusalOfStart({ cwd: folder, ...options });

describe('a start that fails prints the reason in one line, and ends with 1', () => {
  // settings.test.ts tests every kind of invalid value.
  const wrong: [string, Record<string, string>, RegExp][] = [
    ['an unknown name', { APP_SERVER_PROT: '9000' }, /APP_SERVER_PROT is not a setting/],
    ['a port that is no number', { PORT: 'http' }, /PORT must be an integer from 0 to 65535, not "http"/],
    ['CLUSTER without keys', { APP_DEPLOYMENT_MODE: 'CLUSTER' }, /app\.jwt\.keys must be given in CLUSTER mode/],
    [
      'a database given, so CLUSTER, without keys',
      { DATABASE_URL: 'postgres://localhost/x' },
      /app\.jwt\.keys must be/,
    ],
    ['a direct URL without a URL', { APP_DATABASE_DIRECT_URL: 'postgres://localhost/x' }, /needs app\.database\.url/],
    [
      'a certificate that is not there',
      { ...aCluster(), DATABASE_URL: 'postgres://localhost/x?sslmode=verify-full&sslrootcert=/nowhere' },
      /app\.database\.url cannot be used: .*\/nowhere/,
    ],
    ['a host that is none', { DATABASE_URL: 'postgres://localhost:port/x' }, /DATABASE_URL must name its hosts/],
  ];

  test.each(wrong)('%s', async (_what, environment, line) => {
    expect(await refusedStart({ environment: { APP_DATA_DIR: join(folder, 'unused'), ...environment } })).toMatch(line);
    expect(existsSync(join(folder, 'unused', 'postgres'))).toBe(false);
  });

  test('an invalid secret is not repeated', async () => {
    for (const name of ['APP_JWT_KEYS', 'APP_ENCRYPTION_KEYS']) {
      const line = await refusedStart({ environment: { ...aCluster(), [name]: 'one:c2VjcmV0LWNhbmFyeQ==' } });
      expect(line).toMatch(/key 1 \(one\) must be 32 bytes/i);
      expect(line).not.toContain('c2VjcmV0');
    }
    const line = await refusedStart({ environment: { DATABASE_URL: 'mysql://florin:secret-canary@localhost/x' } });
    expect(line).not.toContain('canary');
  });

  test('a port that is taken, before anything is created', async () => {
    const taken = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    expect(await refusedStart({ environment: onDatabase({ PORT: String(port) }) })).toContain(`port ${port}`);
    const APP_DATA_DIR = join(folder, 'port-taken');
    const line = await refusedStart({ environment: { PORT: String(port), APP_DATA_DIR } });
    expect(line).toContain(`port ${port} on 127.0.0.1 is taken by another program; stop it, or set PORT to a free one`);
    expect(existsSync(APP_DATA_DIR)).toBe(false);
    taken.close();
  });

  test('a first password that is too short, or cannot be stored', async () => {
    const APP_DATA_DIR = join(folder, 'no-password');
    await mkdir(join(APP_DATA_DIR, 'admin-password'), { recursive: true });
    const environment = onDatabase({ APP_DATA_DIR, APP_ADMIN_PASSWORD: 'abc' });
    expect(await refusedStart({ environment })).toContain('app.admin.password must have at least 6 characters');
    const line = await refusedStart({ environment: { ...environment, APP_ADMIN_PASSWORD: '' } });
    expect(line).toContain(`${join(APP_DATA_DIR, 'admin-password')} (EISDIR); it is a folder`);
  });

  test('an address of another machine', async () => {
    expect(await refusedStart({ environment: onDatabase({ HOST: '192.0.2.1' }) })).toContain('192.0.2.1');
  });

  test('a data folder that is a file', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    expect(await refusedStart({ environment: { PORT: '0', APP_DATA_DIR: file } })).toContain(file);
  });

  const wrongFiles: [string, string, RegExp][] = [
    ['an unknown name', 'app:\n  server:\n    prot: 1\n', /florin\.yaml: app\.server\.prot is not a setting/],
    ['no YAML', 'app: [1, 2\nserver: }', /florin\.yaml is not valid YAML/],
    ['a tab', 'app:\n\tserver: 1\n', /florin\.yaml is not valid YAML at line 2/],
    ['a value that YAML misreads, and is not repeated', 'app:\n  mail:\n    url: *word\n', /YAML \([A-Z_]+\)\.$/],
  ];

  test.each(wrongFiles)('florin.yaml with %s', async (_what, text, line) => {
    const cwd = await folderWith(text);
    expect(await refusedStart({ environment: { APP_DATA_DIR: join(folder, 'unused') }, cwd })).toMatch(line);
  });
});

describe('the arguments of a command', () => {
  const bundled = '../../dist/main.js'; // Which `npm start` runs.
  const programs = [
    ['npm start', bundled],
    ['npm run verify', 'verify.ts'],
    ['npm run receiver', '../../../tools/local/receiver.mjs'],
    ['npm run simulator', '../../../tools/local/simulator.ts'],
  ] as const;

  test.each(programs)(
    '%s says how it is used when asked, and ends with 2 for words that it does not know',
    async (command, file) => {
      const call = (...words: string[]) => run(process.execPath, [join(import.meta.dirname, '..', file), ...words]);
      const asked = await call('--help');
      expect(asked).toMatchObject({ code: 0, stderr: '' });
      expect(asked.stdout).toContain(`Usage: ${command}`);
      for (const words of [
        ['--prot', '9000'],
        ['help', 'me', 'please'],
      ]) {
        const mistaken = await call(...words);
        expect(mistaken, words.join(' ')).toMatchObject({ code: 2, stdout: '' });
        expect(mistaken.stderr).toContain(command);
        expect(mistaken.stderr).toContain(words[0]);
        expect(mistaken.stderr).not.toContain('    at ');
      }
      expect(readdirSync(folder)).not.toContain('data');
    },
  );

  test('npm start -- --version prints the version alone', async () => {
    const { code, stdout } = await run(process.execPath, [join(import.meta.dirname, '..', bundled), '--version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
  });
});

describe('valid settings', () => {
  test('short names and configured keys: a cluster node', async () => {
    const APP_DATA_DIR = join(folder, 'cluster-node');
    const environment = { ...onDatabase({ APP_DATA_DIR }), ...aCluster(), HOST: '127.0.0.1', APP_DEPLOYMENT_MODE: '' };
    const service = await startService({ environment });
    const { body } = await service.post('/api/user/login', { account: 'admin', password: administratorPassword });
    expect(body.data.deploymentMode).toBe('CLUSTER');
    expect(existsSync(join(APP_DATA_DIR, 'jwt-keys'))).toBe(false);
    // A service of an operator hashes passwords at the recommended cost, unlike services in the process of a test.
    const [administrator] = await db.query<{ password_hash: string }>('select password_hash from app_user');
    expect(administrator?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await service.end('SIGTERM')).code).toBe(0);
  });

  test('from florin.yaml, nested; the environment has precedence, and characters special to a shell survive', async () => {
    const cwd = await folderWith(
      [
        'app:',
        '  server: { port: 1 }',
        '  deployment-mode: standalone',
        '  jwt: { access-token-expire: 90s }',
        '  webhook:',
        '    retry-intervals: [1s, 2s]',
        '  admin:',
        '    account: root',
      ].join('\n'),
    );
    const other = await databaseFromTemplate();
    const password = `it's "$HOME" \\ \`id\` & more`;
    try {
      const service = await startService({
        environment: { PORT: '0', DATABASE_URL: urlOf(other.connection), APP_ADMIN_PASSWORD: password },
        cwd,
      });
      const { body } = await service.post('/api/user/login', { account: 'root', password });
      expect(body.data.token.expiresIn).toBe(90);
      expect(service.stdout + service.stderr).not.toMatch(/it's|\$HOME/);
      expect(await pasted(service, { APP_ADMIN_PASSWORD: password })).toContain('"status":"PENDING"');
      expect((await service.end('SIGTERM')).code).toBe(0);
      // Without APP_DATA_DIR, data is stored in ./data.
      expect(existsSync(join(cwd, 'data', 'jwt-keys'))).toBe(true);
    } finally {
      await other.drop();
    }
  });

  test('a node with the role worker serves only the operations routes', async () => {
    const worker = await florinOn(db, { APP_ROLE: 'worker' });
    expect((await worker.get('/health/ready')).status).toBe(200);
    expect((await worker.post('/api/user/login', {})).status).toBe(404);
    await worker.stop();
  });
});

describe('the first and later starts, on a data folder of their own', () => {
  // With characters special to a shell.
  const dataDir = () => join(folder, "first start's data");
  const environment = () => ({ PORT: '0', APP_DATA_DIR: dataDir() });
  let password: string;

  test('creates the administrator, shows the password once, and prints commands that create a payment', async () => {
    const service = await startService({ environment: environment() });
    const file = join(dataDir(), 'admin-password');
    password = readFileSync(file, 'utf8').trim();
    expect(password.length).toBeGreaterThanOrEqual(16);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(service.stdout).toContain(password);
    expect(service.stderr).not.toContain(password);
    const facts = [...service.stdout.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name);
    expect(facts).toEqual(['Console', 'Reference', 'Administrator', 'Password']);
    expect(await pasted(service)).toContain('"status":"PENDING"');
    await expectAlone(service);
    await endsCleanly(service, 'SIGINT');
  });

  test('keeps the password, prints commands that still work, and stops on SIGTERM', async () => {
    const service = await startService({ environment: environment() });
    expect(service.stdout).not.toContain(password);
    const answers = await pasted(service);
    expect(answers).toContain('"status":"PENDING"');
    // The channel exists and is not created again.
    expect(answers.match(/"code":\d+/g)).toEqual(['"code":200']);
    await service.login('admin', password);
    await expectAlone(service, new URL(service.address).port);
    await endsCleanly(service, 'SIGTERM');
  });

  test('an interrupted start leaves no PostgreSQL running', async () => {
    const service = spawnService({ environment: environment() });
    const pid = await eventually('PostgreSQL runs', () => postmasterOf(dataDir()));
    expect((await service.end('SIGTERM')).code).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });

  /** A second start on the same folder is refused and does not affect the first. */
  async function expectAlone(first: ReadyService, port = '0'): Promise<void> {
    const line = await refusedStart({ environment: { ...environment(), PORT: port } });
    const taken = port === '0' ? '' : `port ${port} on 127.0.0.1 is taken by another Florin, and `;
    expect(line).toContain(`${taken}data folder ${dataDir()} is in use by Florin process ${first.pid}`);
    expect((await first.get('/health/ready')).status).toBe(200);
  }

  async function endsCleanly(service: ServiceProcess, signal: NodeJS.Signals): Promise<void> {
    const postmaster = postmasterOf(dataDir()) as number;
    expect(isAlive(postmaster)).toBe(true);
    expect(await service.end(signal)).toEqual({ code: 0, signal: null });
    expect(isAlive(postmaster)).toBe(false);
    expect(existsSync(join(dataDir(), 'postgres', 'cluster', 'postmaster.pid'))).toBe(false);
  }
});

function aCluster(): Record<string, string> {
  return { APP_JWT_KEYS: freshKeyring(), APP_ENCRYPTION_KEYS: freshKeyring() };
}

async function folderWith(yaml: string): Promise<string> {
  const cwd = await mkdtemp(join(folder, 'cwd-'));
  await mkdir(cwd, { recursive: true });
  await writeFile(join(cwd, 'florin.yaml'), yaml);
  return cwd;
}

/** Runs the printed commands in a shell, as a person pastes them. */
async function pasted({ stdout }: ServiceProcess, environment: Record<string, string> = {}): Promise<string> {
  const [, lines = ''] = /paste into a shell:\n\n([\s\S]+)$/.exec(stdout) ?? [];
  return (await run('sh', ['-e', '-c', lines], { environment })).stdout;
}

interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
}

async function run(program: string, words: string[], { environment = {} } = {}): Promise<Ran> {
  const { PATH = '', HOME = '/', NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...environment };
  const child = spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

function postmasterOf(dataDir: string): number | undefined {
  try {
    const [pid] = readFileSync(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8').split('\n');
    return Number(pid) || undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
