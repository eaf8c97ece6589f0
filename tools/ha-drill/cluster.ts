import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Answer, CallersOptions, Command } from './callers-protocol.ts';
import type { Image } from './image.ts';
import { Machine, Network } from './machine.ts';
import { readUnit } from './units.ts';

const recipe = fileURLToPath(new URL('../../deploy/ha', import.meta.url));
const switchAddress = '10.77.0.254';

export interface Member {
  name: string;
  role: string;
  state: string;
  timeline?: number;
  lag?: number | string;
}

/** Three machines set up by the recipe of deploy/ha, and their callers. */
export class Cluster {
  readonly machines: Machine[] = [];
  readonly network = new Network(switchAddress);
  readonly #folder: string;
  readonly #image: Image;
  readonly #prepared: string;
  #callers: ChildProcess | undefined;
  #answers: AsyncIterator<string> | undefined;

  constructor(image: Image, folder: string) {
    this.#image = image;
    this.#folder = folder;
    this.#prepared = join(folder, 'prepared');
  }

  /** The values of cluster.env and of the secrets that were made. */
  readonly values: Record<string, string> = {};

  async start(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
    execFileSync('sh', [join(recipe, 'prepare.sh'), join(recipe, 'cluster.env'), this.#prepared]);
    for (const file of [join(recipe, 'cluster.env'), join(this.#prepared, 'secrets.env')]) {
      for (const [, name = '', value = ''] of readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm)) {
        this.values[name] = value;
      }
    }
    await this.network.isUp();
    for (const number of [1, 2, 3]) {
      const machine = new Machine({
        name: this.value(`NAME${number}`),
        address: this.value(`ADDRESS${number}`),
        image: this.#image.root,
        florin: this.#image.florin,
        folder: join(this.#folder, this.value(`NAME${number}`)),
        network: this.network,
      });
      this.machines.push(machine);
      await machine.boot();
      this.#install(machine);
    }
    for (const machine of this.machines) machine.startAll();
  }

  /** The steps of install.sh after those of the image. */
  #install(machine: Machine): void {
    cpSync(recipe, join(machine.root, 'root/ha'), { recursive: true });
    cpSync(join(this.#prepared, machine.name), join(machine.root, 'root/prepared'), { recursive: true });
    machine.run(['sh', '/root/ha/install.sh', 'files', '/root/prepared']);
    const settings = join('etc/florin/florin.env');
    // Only for the drill: its receiver has a private address.
    const given = readFileSync(join(machine.root, settings), 'utf8');
    const retries = 'APP_WEBHOOK_RETRY_INTERVALS=1s,1s,1s,5s,5s,5s,5s,5s';
    machine.write(settings, `${given}APP_WEBHOOK_ALLOW_TARGETS=${switchAddress}/32\n${retries}\n`);
  }

  value(name: string): string {
    const value = this.values[name];
    if (value === undefined) throw new Error(`cluster.env has no ${name}.`);
    return value;
  }

  /** Starts the callers and makes what they need, which waits for the cluster. */
  async startCallers(): Promise<void> {
    const options: CallersOptions = {
      serviceAddress: this.value('SERVICE_ADDRESS'),
      serviceName: this.value('SERVICE_NAME'),
      ca: join(this.#prepared, 'ca.crt'),
      password: this.value('ADMIN_PASSWORD'),
      receiver: { address: switchAddress, port: 9_000 },
    };
    const program = join(dirname(fileURLToPath(import.meta.url)), 'callers.ts');
    const words = ['--pdeathsig', 'KILL', 'nsenter', ...this.network.enter, process.execPath, program];
    this.#callers = spawn('setpriv', [...words, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines: Interface = createInterface({ input: this.#callers.stdout as NodeJS.ReadableStream });
    this.#answers = lines[Symbol.asyncIterator]();
    await this.callers({ do: 'prepare' });
  }

  async callers(command: Command): Promise<Answer> {
    this.#callers?.stdin?.write(`${JSON.stringify(command)}\n`);
    const line = await this.#answers?.next();
    if (line === undefined || line.done) throw new Error('The callers have ended.');
    return JSON.parse(line.value) as Answer;
  }

  /** Its power is cut: the others do not even learn that its connections are closed. */
  async lose(machine: Machine): Promise<void> {
    this.network.run(['ip', 'link', 'set', machine.name, 'down']);
    await machine.crash();
  }

  /** What the members of Patroni say of each other; undefined while nobody answers. */
  members(): Member[] | undefined {
    return this.#views()[0];
  }

  /** The members as each machine sees them: one that was cut off believes for a while that nothing has changed. */
  #views(): Member[][] {
    return this.machines.flatMap((machine) => {
      if (!machine.isUp || machine.isFrozen) return [];
      try {
        return [JSON.parse(this.#askPatroni(machine, 'cluster')).members as Member[]];
      } catch {
        return [];
      }
    });
  }

  #askPatroni(machine: Machine, path: string): string {
    const file = (name: string) => join(this.#prepared, name);
    const certificate = ['--cacert', file('ca.crt'), '--cert', file(`machine-${machine.name}.crt`)];
    const key = ['--key', file(`machine-${machine.name}.key`)];
    const words = ['--silent', '--max-time', '2', ...certificate, ...key];
    return this.network.run(['curl', ...words, `https://${machine.address}:8008/${path}`]);
  }

  /** The machine whose PostgreSQL takes writes, by the agreement of all that answer. */
  primary(): Machine | undefined {
    const leaders = new Set(this.#views().map((members) => runningLeaderOf(members)?.name));
    const [name] = leaders.size === 1 ? leaders : [];
    return this.machines.find((machine) => machine.name === name);
  }

  requirePrimary(): Machine {
    const primary = this.primary();
    if (primary === undefined) throw new Error('There is no primary.');
    return primary;
  }

  /** The machine whose etcd leads the others. */
  etcdLeader(): Machine | undefined {
    const endpoints = this.machines.map(({ address }) => `https://${address}:2379`).join(',');
    const files = ['--cacert', '/etc/etcd/ca.crt', '--cert', '/etc/etcd/machine.crt', '--key', '/etc/etcd/machine.key'];
    const words = [...files, '--endpoints', endpoints, 'endpoint', 'status', '--write-out', 'json'];
    const printed = this.machines[0]?.run(['env', 'ETCDCTL_API=3', 'etcdctl', ...words]) ?? '[]';
    const statuses = JSON.parse(printed) as {
      Endpoint: string;
      Status: { leader: number; header: { member_id: number } };
    }[];
    const leading = statuses.find(({ Status }) => Status.leader === Status.header.member_id);
    return this.machines.find(({ address }) => leading?.Endpoint.includes(`//${address}:`));
  }

  /** A copy of the installed package with one more migration. */
  async packageWith(name: string, sql: string): Promise<string> {
    const folder = join(this.#folder, `florin-${name}`);
    await promisify(execFile)('cp', ['--archive', '--link', this.machines[0]?.florin as string, folder]);
    writeFileSync(join(folder, 'node_modules/florin/server/migrations', name), sql);
    return folder;
  }

  /** The machines that have the address of the service. */
  holders(): Machine[] {
    const address = this.value('SERVICE_ADDRESS');
    return this.machines.filter(
      (machine) => machine.isUp && !machine.isFrozen && machine.run(['ip', '-o', 'address']).includes(` ${address}/`),
    );
  }

  /** Three members that stream, one of them synchronous, and one holder of the address. */
  unhealthy(): string | undefined {
    const views = this.#views();
    if (new Set(views.map((view) => runningLeaderOf(view)?.name)).size > 1)
      return 'the machines name different leaders';
    const [members = []] = views;
    if (members.length !== 3) return `${members.length} members`;
    const wrong = members.find(
      ({ role, state, lag }) =>
        !(role === 'leader' && state === 'running') && !(state === 'streaming' && Number(lag) < 1_000_000),
    );
    if (wrong !== undefined) return `${wrong.name}: ${wrong.role} ${wrong.state} lag ${wrong.lag}`;
    if (!members.some(({ role }) => role === 'sync_standby')) return 'no synchronous standby';
    if (new Set(members.map(({ timeline }) => timeline)).size !== 1) return 'different timelines';
    const ready = this.machines.filter((machine) => this.#isReady(machine)).length;
    if (ready !== 3) return `${ready} nodes of Florin ready`;
    const holders = this.holders().length;
    return holders === 1 ? undefined : `${holders} holders of the address`;
  }

  #isReady(machine: Machine): boolean {
    try {
      machine.run(['curl', '--silent', '--fail', '--max-time', '2', 'http://127.0.0.1:8080/health/ready']);
      return true;
    } catch {
      return false;
    }
  }

  async untilHealthy(deadlineMs = 120_000): Promise<void> {
    const end = performance.now() + deadlineMs;
    for (let isOnce = false; ; ) {
      const reason = this.unhealthy();
      if (reason === undefined && isOnce) return;
      isOnce = reason === undefined;
      if (performance.now() > end) throw new Error(`The cluster is not whole again: ${reason}`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  /** Rows of the database, read at the primary. */
  query<Row>(sql: string): Row[] {
    const psql = ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--init-groups', 'psql', '-XqAt'];
    const text = `select coalesce(json_agg(row), '[]') from (${sql}) row`;
    const printed = this.requirePrimary().run([...psql, '-h', '/run/postgresql', 'florin'], { input: text });
    return JSON.parse(printed) as Row[];
  }

  /** `florin verify` on a machine; its output if it found something. */
  verify(): string | undefined {
    const machine = this.requirePrimary();
    const { environment, command } = readUnit(machine.root, 'florin');
    const settings = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    try {
      machine.run(['env', '-i', ...settings, command[0] as string, 'verify'], { timeoutMs: 600_000 });
      return undefined;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      return `${stdout}${stderr}`
        .split('\n')
        .filter((line) => !line.startsWith('ok'))
        .join('\n');
    }
  }

  async end(): Promise<void> {
    this.#callers?.kill('SIGKILL');
    for (const machine of this.machines) {
      if (machine.isFrozen) machine.thaw();
      await machine.crash();
    }
    this.network.end();
  }
}

function runningLeaderOf(members: readonly Member[]): Member | undefined {
  return members.find(({ role, state }) => role === 'leader' && state === 'running');
}
