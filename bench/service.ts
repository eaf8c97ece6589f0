import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { launch, removeFolder, stopProcess, temporaryFolder } from './processes/children.ts';
import { childrenOf, timesOf, timesOfTree } from './processes/cpu.ts';

/** The checkout whose service is measured: this one, or another that `against` names. */
const root = process.env.BENCH_CHECKOUT ?? fileURLToPath(new URL('..', import.meta.url));
const password = 'bench administrator';
const readyDeadlineMs = 60_000;
/** The service and PostgreSQL are idle when they use less CPU time than this in 100 ms. */
const idleCpuUs = 20_000;

/**
 * The tables that payments fill. Another version may lack some of them. The rollup locks `transaction_bucket` first, as
 * here.
 */
const paymentTables = [
  'transaction_bucket',
  'transaction_bucket_total',
  'transaction',
  'transaction_total',
  'transaction_total_delta',
  'timeline_message',
  'event',
  'delivery',
  'delivery_attempt',
  'provider_operation',
  'sandbox_operation',
  'refund',
  'ledger_transfer',
  'ledger_total',
  'ledger_total_delta',
];

/** A tenant, its administrator, and an API key with all scopes. */
export interface Merchant {
  tenantId: number;
  userId: number;
  key: string;
}

/** CPU time in µs. */
export interface Cpu {
  nodeUs: number;
  postgresUs: number;
}

interface StartedService {
  child: ChildProcess;
  port: number;
  dataDir: string;
  startMs: number;
  processes: number;
}

/**
 * The real service in a separate process, started with the command line of `npm start`, with its own data folder and
 * embedded PostgreSQL.
 */
export class Service {
  readonly port: number;
  readonly dataDir: string;
  /** Time from the start of the process until `/health/ready` answers 200. */
  readonly startMs: number;
  readonly processes: number;
  readonly database: pg.Pool;
  readonly #process: ChildProcess;

  static async start(dataDir: string = temporaryFolder(), settings: NodeJS.ProcessEnv = {}): Promise<Service> {
    const port = await freePort();
    const startedAt = performance.now();
    const environment = { ...settingsOf(port, dataDir), ...settings };
    const child = launch(process.execPath, startArguments(), {
      // Not the repository, which may contain a florin.yaml.
      cwd: dataDir,
      env: { ...inheritedEnvironment(), ...environment },
      logFile: join(dataDir, 'bench.log'),
    });
    await waitUntilReady(child, port, join(dataDir, 'bench.log'));
    const startMs = performance.now() - startedAt;
    return new Service({ child, port, dataDir, startMs, processes: Number(environment.APP_PROCESSES) });
  }

  constructor({ child, port, dataDir, startMs, processes }: StartedService) {
    this.#process = child;
    this.processes = processes;
    this.port = port;
    this.dataDir = dataDir;
    this.startMs = startMs;
    this.database = new pg.Pool({ ...this.connection(), max: 2 });
    this.database.on('error', () => {});
  }

  get pid(): number {
    return this.#process.pid as number;
  }

  /** Connection settings for a database of its PostgreSQL. */
  connection(database = 'florin'): { host: string; port: number; user: string; database: string } {
    const { socket, port } = this.#postmaster();
    return { host: socket, port, user: 'florin', database };
  }

  /** Runs a command of the service beside it, such as `verify.ts`. Rejects when it fails. */
  async runCommand(file: string, ...args: string[]): Promise<void> {
    const logFile = join(this.dataDir, 'command.log');
    const child = launch(process.execPath, [join(root, 'server/src/app', file), ...args], {
      cwd: this.dataDir,
      env: { ...inheritedEnvironment(), APP_DATA_DIR: this.dataDir },
      logFile,
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${file} ended with ${code}:\n${readFileSync(logFile, 'utf8')}`);
  }

  /** CPU time used so far. */
  cpu(): Cpu {
    const postmaster = this.#postmaster().pid;
    const node = [this.pid, ...childrenOf(this.pid).filter((pid) => pid !== postmaster)];
    return {
      nodeUs: node.reduce((sum, pid) => sum + (timesOf(pid)?.cpuUs ?? 0), 0),
      postgresUs: timesOfTree(postmaster),
    };
  }

  /** Calls an API route; returns the `data` of the response. Throws when the request is refused. */
  // biome-ignore lint/suspicious/noExplicitAny: the bench trusts the responses of the service
  async call(method: 'GET' | 'POST', path: string, authorization: string, body?: object): Promise<any> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method,
      headers: {
        ...(authorization !== '' && { authorization }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const reply = (await response.json()) as { data: unknown };
    if (!response.ok) throw new Error(`${path} was refused: ${JSON.stringify(reply)}`);
    return reply.data;
  }

  async login(account: string, secret: string): Promise<string> {
    const { token } = await this.call('POST', '/api/user/login', '', { account, password: secret });
    return `Bearer ${token.accessToken}`;
  }

  loginAsAdministrator(): Promise<string> {
    return this.login('admin', password);
  }

  /** Creates a platform channel, which every tenant can use. */
  async createChannel(code: string, provider?: string): Promise<number> {
    const input = { name: code, code, type: 'ONLINE', currency: 'USD,EUR', country: 'US', state: true, provider };
    return (await this.call('POST', '/api/channel/modify', await this.loginAsAdministrator(), input)).id;
  }

  /** With a live key, or a test key for payments through the sandbox. */
  async createMerchant(name: string, livemode = true): Promise<Merchant> {
    const administrator = await this.loginAsAdministrator();
    const tenant = await this.call('POST', '/api/tenant/modify', administrator, { name, state: true });
    const user = { userName: name, email: `${name}@bench.example`, password, tenantId: tenant.id };
    const { id: userId } = await this.call('POST', '/api/user/modify', administrator, {
      ...user,
      userType: 'MERCHANT_ADMIN',
      state: true,
    });
    const merchant = await this.login(name, password);
    const { sk } = await this.call('POST', '/api/developer/mine/generate', merchant, { scope: '*', livemode });
    return { tenantId: tenant.id, userId, key: sk };
  }

  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.query<Row>(text, values)).rows;
  }

  /** Deletes all payments and the rows that belong to them. */
  async empty(): Promise<void> {
    const found = await this.query<{ name: string }>(
      `select name from unnest($1::text[]) with ordinality as table_(name, place) where to_regclass(name) is not null
        order by place`,
      [paymentTables],
    );
    // The triggers forbid deleting ledger rows, truncate included.
    const emptying = `alter table ledger_transfer disable trigger user;
       truncate ${found.map(({ name }) => name).join(', ')};
       alter table ledger_transfer enable trigger user`;
    // A worker that reads these tables in another order makes it a deadlock, which ends this statement.
    for (let tries = 1; ; tries++) {
      try {
        await this.database.query(emptying);
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== '40P01' || tries === 5) throw error;
      }
    }
  }

  /** Waits until the service and PostgreSQL are idle. */
  async waitUntilIdle(): Promise<void> {
    for (let before = this.cpu(), quiet = 0; quiet < 3; ) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const after = this.cpu();
      const usedUs = after.nodeUs - before.nodeUs + after.postgresUs - before.postgresUs;
      quiet = usedUs <= idleCpuUs ? quiet + 1 : 0;
      before = after;
    }
  }

  async stop({ keepData = false } = {}): Promise<void> {
    await this.database.end();
    await stopProcess(this.#process);
    if (!keepData) removeFolder(this.dataDir);
  }

  /** Reads PostgreSQL's process id, port and socket folder from postmaster.pid. */
  #postmaster(): { pid: number; port: number; socket: string } {
    const cluster = join(this.dataDir, 'postgres', 'cluster');
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    const [pid, , , port, socket = ''] = lines;
    return { pid: Number(pid), port: Number(port), socket: resolve(cluster, socket) };
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The arguments that `npm start` passes to node. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const words = scripts.start.split('exec node ')[1]?.split(' ') ?? [];
  return words.map((word) => (word.endsWith('.js') ? join(root, word) : word));
}

/** The environment of the bench, without settings that would configure the service or PostgreSQL. */
function inheritedEnvironment(): NodeJS.ProcessEnv {
  const isSetting = (name: string) => /^(APP_|PG)/.test(name) || ['PORT', 'HOST', 'DATABASE_URL'].includes(name);
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name))),
    // Same as `npm start`. Without it Node loads the type stripper, which takes 25 MB.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
  };
}

function settingsOf(port: number, dataDir: string): NodeJS.ProcessEnv {
  return {
    PORT: String(port),
    APP_DATA_DIR: dataDir,
    APP_ADMIN_PASSWORD: password,
    APP_LOG_LEVEL: 'warn',
    // Most measurements compare with servers of one process.
    APP_PROCESSES: '1',
    APP_WEBHOOK_ALLOW_TARGETS: '127.0.0.0/8',
    APP_WEBHOOK_MAX_ENDPOINTS: '10000',
  };
}

async function waitUntilReady(child: ChildProcess, port: number, logFile: string): Promise<void> {
  const deadline = performance.now() + readyDeadlineMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The service did not start:\n${readFileSync(logFile, 'utf8')}`);
    const isReady = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      (response) => response.ok,
      () => false,
    );
    if (isReady) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('The service was not ready within a minute.');
}

/** The Node flags of `npm start`, which comparison servers also use. */
export function startFlags(): string[] {
  return startArguments().filter((word) => word.startsWith('--'));
}
