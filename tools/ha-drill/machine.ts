import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readUnit } from './units.ts';

/** The programs of a machine, in the order in which they are started. */
export const services = ['etcd', 'patroni', 'florin', 'haproxy', 'keepalived'] as const;
export type Service = (typeof services)[number];

/** The disk of PostgreSQL, a file system of its own, so that it can be full. */
const databaseDisk = '3G';

export interface MachineOptions {
  name: string;
  address: string;
  /** The Debian that all machines have; nothing is written to it. */
  image: string;
  /** The installed package of Florin. */
  florin: string;
  /** Where the machine keeps its files. */
  folder: string;
  /** The process that holds the network between the machines. */
  network: Network;
}

/**
 * A machine: network, mounts, process ids, host name and IPC of its own, on an overlay of Debian. All its processes die
 * at once with its process 1, and it dies with this process.
 */
export class Machine {
  readonly name: string;
  readonly address: string;
  readonly #options: MachineOptions;
  #holder: ChildProcess | undefined;
  #first = 0;
  readonly #running = new Map<Service, ChildProcess>();
  readonly #stopped = new Set<Service>();
  /** Programs write to it themselves: they do not wait while this process waits for a command. */
  readonly #log: number;
  isFrozen = false;
  /** How often it was switched on. */
  boots = 0;

  constructor(options: MachineOptions) {
    this.name = options.name;
    this.address = options.address;
    this.#options = options;
    mkdirSync(join(options.folder, 'upper'), { recursive: true });
    for (const name of ['work', 'root']) mkdirSync(join(options.folder, name), { recursive: true });
    this.#log = openSync(join(options.folder, 'log'), 'a');
    execFileSync('truncate', ['-s', databaseDisk, this.#disk]);
    execFileSync('mkfs.ext4', ['-q', '-F', this.#disk]);
  }

  /** The package of Florin that it starts. */
  get florin(): string {
    return this.#options.florin;
  }

  get isUp(): boolean {
    return this.#holder !== undefined;
  }

  get #disk(): string {
    return join(this.#options.folder, 'disk.img');
  }

  /** Its file system, as seen from here: only while it is up. */
  get root(): string {
    return `/proc/${this.#first}/root`;
  }

  /** Switches it on; its programs are not started yet. */
  async boot(): Promise<void> {
    const { folder, image, florin, network } = this.#options;
    const root = join(folder, 'root');
    const mounts = [
      `mount -t overlay overlay -o lowerdir=${image},upperdir=${folder}/upper,workdir=${folder}/work ${root}`,
      `mount -t proc proc ${root}/proc`,
      `mount -t sysfs sysfs ${root}/sys`,
      `mount --bind /dev ${root}/dev`,
      `mount -t tmpfs tmpfs ${root}/dev/shm`,
      `mount -t tmpfs tmpfs ${root}/run`,
      `mount -t tmpfs tmpfs ${root}/tmp`,
      `mount -o loop ${this.#disk} ${root}/var/lib/postgresql`,
      `mkdir -p ${root}/opt/florin ${root}/run/lock`,
      `mount --bind ${florin} ${root}/opt/florin`,
      `hostname ${this.name}`,
      'ip link set lo up',
      // A shell as process 1 reaps what is orphaned.
      `exec chroot ${root} /bin/bash -c 'echo up; while :; do sleep 3600 & wait $!; done'`,
    ];
    const words = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--net', '--pid', '--uts', '--ipc', '--fork'];
    const holder = spawn('setpriv', [...words, '--kill-child', 'sh', '-ec', mounts.join('\n')], {
      stdio: ['ignore', 'pipe', this.#log],
    });
    await new Promise<void>((up, failed) => {
      holder.stdout?.once('data', () => up());
      holder.once('exit', (code) => failed(new Error(`${this.name} did not start (${code}): see ${folder}/log`)));
    });
    this.#holder = holder;
    this.boots++;
    this.#first = Number(readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim());
    network.connect(this.name, this.#first);
    this.run(['ip', 'address', 'add', `${this.address}/24`, 'dev', 'eth0']);
    this.run(['ip', 'link', 'set', 'eth0', 'up']);
  }

  startAll(): void {
    for (const service of services) this.start(service);
  }

  /** Starts what `ExecStart` says, as the account of the unit, again and again if the unit says so. */
  start(service: Service): void {
    const unit = readUnit(this.root, service);
    this.#stopped.delete(service);
    const user = unit.user ?? 'root';
    for (const folder of unit.folders) this.run(['install', '-d', '-o', user, '-g', user, folder]);
    const [program = '', ...words] = unit.command;
    const variables = Object.entries(unit.environment).map(([name, value]) => `${name}=${value}`);
    const asUser = unit.user === undefined ? [] : ['setpriv', '--reuid', user, '--regid', user, '--init-groups'];
    const child = this.spawn(['env', '-i', '-C', unit.directory, ...variables, ...asUser, program, ...words]);
    this.#running.set(service, child);
    child.once('exit', (code, signal) => {
      if (this.#running.get(service) !== child) return;
      this.#running.delete(service);
      writeSync(this.#log, `== ${service} ended with ${signal ?? code}\n`);
      if (unit.restartsAfterMs === undefined || this.#stopped.has(service)) return;
      const first = this.#first;
      setTimeout(() => {
        if (this.isUp && this.#first === first && !this.#stopped.has(service)) this.start(service);
      }, unit.restartsAfterMs);
    });
  }

  /** Stops a program as systemd does: SIGTERM to the program, and waits. */
  async stop(service: Service): Promise<void> {
    this.#stopped.add(service);
    const child = this.#running.get(service);
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    process.kill(this.pidOf(service) as number, 'SIGTERM');
    await ended;
  }

  /** The process id, as seen from here, of what `ExecStart` started. */
  pidOf(service: Service): number | undefined {
    const child = this.#running.get(service);
    if (child?.pid === undefined) return undefined;
    const pid = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
    return pid === '' ? undefined : Number(pid);
  }

  /** All its processes vanish at once, and its network with them. */
  async crash(): Promise<void> {
    const holder = this.#holder;
    if (holder === undefined) return;
    this.#holder = undefined;
    this.#running.clear();
    const ended = new Promise((resolve) => holder.once('exit', resolve));
    process.kill(this.#first, 'SIGKILL');
    await ended;
    this.isFrozen = false;
  }

  freeze(): void {
    this.isFrozen = true;
    // A process may have been made by one that was not stopped yet.
    for (let pass = 0; pass < 3; pass++) this.signalAll('SIGSTOP');
  }

  thaw(): void {
    this.signalAll('SIGCONT');
    // `nsenter` stops with its child.
    for (const child of this.#running.values()) child.kill('SIGCONT');
    this.isFrozen = false;
  }

  signalAll(signal: NodeJS.Signals): void {
    for (const pid of this.processes()) signalled(pid, signal);
  }

  /** The ids of its processes, as seen from here. */
  processes(): number[] {
    const own = readlinkSync(`/proc/${this.#first}/ns/pid`);
    return readdirSync('/proc').flatMap((entry) => {
      if (!/^\d+$/.test(entry)) return [];
      try {
        return readlinkSync(`/proc/${entry}/ns/pid`) === own ? [Number(entry)] : [];
      } catch {
        return [];
      }
    });
  }

  /** The ids of its processes whose command line matches. */
  processesLike(pattern: RegExp): number[] {
    return this.processes().filter((pid) => {
      try {
        return pattern.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '));
      } catch {
        return false;
      }
    });
  }

  spawn(command: string[]): ChildProcess {
    return spawn('setpriv', ['--pdeathsig', 'KILL', ...this.#enter(), ...command], {
      stdio: ['ignore', this.#log, this.#log],
      // A program that signals its process group must not reach this one.
      detached: true,
    });
  }

  /** Runs a command in it and returns its output. */
  run(command: string[], { input, timeoutMs = 60_000 }: { input?: string; timeoutMs?: number } = {}): string {
    const [program = '', ...words] = [...this.#enter(), ...command];
    return execFileSync(program, words, {
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
      ...(input !== undefined && { input }),
    });
  }

  /** As `run`, without blocking this process: units are restarted meanwhile. */
  async runInBackground(command: string[]): Promise<string> {
    const [program = '', ...words] = [...this.#enter(), ...command];
    return (await promisify(execFile)(program, words)).stdout;
  }

  /** Another package of Florin from now on; a running Florin keeps its own until it ends. */
  installFlorin(folder: string): void {
    const target = join(this.#options.folder, 'root', 'opt/florin');
    this.#options.florin = folder;
    execFileSync('nsenter', ['--target', String(this.#first), '--mount', 'mount', '--bind', folder, target]);
  }

  /** A file of the machine, on its disk. */
  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  #enter(): string[] {
    const namespaces = ['--mount', '--net', '--pid', '--uts', '--ipc', '--root', '--wd'];
    return ['nsenter', '--target', String(this.#first), ...namespaces, '--'];
  }
}

/** A switch: a bridge in a network namespace of its own, where the callers are. */
export class Network {
  readonly #holder: ChildProcess;

  constructor(address: string) {
    const commands = [
      'ip link set lo up',
      'ip link add br0 type bridge',
      `ip address add ${address}/24 dev br0`,
      'ip link set br0 up',
      'echo up',
      'exec sleep infinity',
    ];
    this.#holder = spawn('setpriv', ['--pdeathsig', 'KILL', 'unshare', '--net', 'sh', '-ec', commands.join('\n')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  async isUp(): Promise<void> {
    await new Promise((up) => this.#holder.stdout?.once('data', up));
  }

  /** A cable to a machine, whose end there is eth0. The kernel removes that of a machine that died only later. */
  connect(name: string, pid: number): void {
    if (this.run(['ip', '-o', 'link']).includes(` ${name}@`)) this.run(['ip', 'link', 'delete', name]);
    const cable = ['link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)];
    this.run(['ip', ...cable]);
    this.run(['ip', 'link', 'set', name, 'master', 'br0', 'up']);
  }

  run(command: string[]): string {
    return execFileSync('nsenter', [...this.enter, ...command], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  get enter(): string[] {
    return ['--target', String(this.#holder.pid), '--net', '--'];
  }

  end(): void {
    this.#holder.kill('SIGKILL');
  }
}

function signalled(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
