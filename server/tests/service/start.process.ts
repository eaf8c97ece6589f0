import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../../src/app/cli/version.ts';
import { databaseFromTemplate, eventually } from '../support/postgres/database.ts';
import { administratorPassword, florinOn, urlOf } from '../support/service/florin.ts';
import { refusalOfStart } from '../support/service/refusal-of-start.ts';
import { runProgram } from '../support/service/run-program.ts';
import {
  type ReadyService,
  requireBundle,
  type ServiceProcess,
  spawnService,
  startService,
} from '../support/service/service-process.ts';
import { clusterKeys, StartFolder } from '../support/service/start-folder.ts';

let folder: StartFolder;

beforeAll(async () => {
  folder = await StartFolder.open();
});

afterAll(() => folder.close());

describe('the arguments of a command', () => {
  beforeAll(requireBundle);
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
      const call = (...words: string[]) =>
        runProgram(process.execPath, [join(import.meta.dirname, '../../src/app', file), ...words], {
          cwd: folder.path,
        });
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
      expect(readdirSync(folder.path)).not.toContain('data');
    },
  );

  test('npm start -- --version prints the version alone', async () => {
    const { code, stdout } = await runProgram(
      process.execPath,
      [join(import.meta.dirname, '../../src/app', bundled), '--version'],
      { cwd: folder.path },
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${version}\n` });
  });
});

describe('valid settings', () => {
  test('short names and configured keys: a cluster node', async () => {
    const APP_DATA_DIR = join(folder.path, 'cluster-node');
    const environment = {
      ...folder.onDatabase({ APP_DATA_DIR }),
      ...clusterKeys(),
      HOST: '127.0.0.1',
      APP_DEPLOYMENT_MODE: '',
    };
    const service = await startService({ environment });
    const { body } = await service.post('/api/user/login', { account: 'admin', password: administratorPassword });
    expect(body.data.deploymentMode).toBe('CLUSTER');
    expect(existsSync(join(APP_DATA_DIR, 'jwt-keys'))).toBe(false);
    // A service of an operator hashes passwords at the recommended cost, unlike services in the process of a test.
    const [administrator] = await folder.db.query<{ password_hash: string }>('select password_hash from app_user');
    expect(administrator?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await service.end('SIGTERM')).code).toBe(0);
  });

  test('from florin.yaml, nested; the environment has precedence, and special characters survive', async () => {
    const cwd = await folder.withYaml(
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
      expect((await service.end('SIGTERM')).code).toBe(0);
      // Without APP_DATA_DIR, data is stored in ./data.
      expect(existsSync(join(cwd, 'data', 'jwt-keys'))).toBe(true);
    } finally {
      await other.drop();
    }
  });

  test('a node with the role worker serves only the operations routes', async () => {
    const worker = await florinOn(folder.db, { APP_ROLE: 'worker' });
    expect((await worker.get('/health/ready')).status).toBe(200);
    expect((await worker.post('/api/user/login', {})).status).toBe(404);
    await worker.stop();
  });
});

describe('the first and later starts, on a data folder of their own', () => {
  // With characters special to a shell.
  const dataDir = () => join(folder.path, "first start's data");
  const environment = () => ({ PORT: '0', APP_DATA_DIR: dataDir() });
  let password: string;

  test('creates the administrator, and tells a program in one line of JSON where the password is kept', async () => {
    const service = await startService({ environment: environment() });
    const file = join(dataDir(), 'admin-password');
    password = readFileSync(file, 'utf8').trim();
    expect(password.length).toBeGreaterThanOrEqual(16);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(service.stdout + service.stderr).not.toContain(password);
    const { address } = service;
    expect(JSON.parse(service.stdout)).toEqual({
      msg: 'Florin is ready',
      address,
      console: `${address}/`,
      documentation: `${address}/docs`,
      administrator: 'admin',
      passwordFile: file,
    });
    await expectAlone(service);
    await endsCleanly(service, 'SIGINT');
  });

  test('keeps the password, and stops on SIGTERM', async () => {
    const service = await startService({ environment: environment() });
    expect(service.stdout).not.toContain(password);
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
    const line = await refusalOfStart({ cwd: folder.path, environment: { ...environment(), PORT: port } });
    const taken = port === '0' ? '' : `port ${port} on 127.0.0.1 is taken by another Florin, and `;
    expect(line).toContain(`${taken}data folder ${dataDir()} is in use by process ${first.pid}`);
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
