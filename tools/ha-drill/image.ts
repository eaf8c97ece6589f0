import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const recipe = join(repository, 'deploy/ha');
export const buildFolder = join(repository, 'build/ha');

/** What the machines have in common. */
export interface Image {
  /** Debian 12 with the packages of the recipe, and Patroni. */
  root: string;
  /** Where Florin is installed from its package. */
  florin: string;
}

/** Machines need no others of Debian's packages than those of install.sh, except for what systemd's part takes here. */
const drillPackages = ['iproute2', 'nftables', 'procps', 'systemd', 'perl'];

/** Why the drill cannot run on this machine. */
export function missing(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'it needs Linux and root, for network namespaces';
  for (const program of ['unshare', 'nsenter', 'setpriv', 'ip', 'mkfs.ext4', 'openssl', 'curl']) {
    if (spawnSync('which', [program]).status !== 0) return `${program} is not installed`;
  }
  return undefined;
}

/** Makes what is not there yet; with `florin`, the package is made again from the present sources. */
export function requireImage({ isFlorinKept = false } = {}): Image {
  mkdirSync(buildFolder, { recursive: true });
  return { root: requireDebian(), florin: requireFlorin(isFlorinKept) };
}

/** Debian, and on it the first two steps of the recipe as an operator runs them. */
function requireDebian(): string {
  const root = join(buildFolder, 'root');
  const stamp = join(root, '.installed-from');
  const from = ['install.sh', 'requirements.txt'].map((name) => readFileSync(join(recipe, name), 'utf8')).join('');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === from) return root;
  console.log('Installing Debian with the packages of the recipe (once) …');
  rmSync(root, { recursive: true, force: true });
  if (spawnSync('which', ['mmdebstrap']).status !== 0) {
    run('apt-get', ['update', '-qq']);
    run('apt-get', ['install', '-y', '-qq', '-o', 'DPkg::Lock::Timeout=120', 'mmdebstrap']);
  }
  const sources = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find((file) => existsSync(file));
  const included = `--include=${['ca-certificates', ...drillPackages].join(',')}`;
  run('mmdebstrap', ['--quiet', '--variant=minbase', included, 'bookworm', root, sources as string]);
  cpSync(recipe, join(root, 'root/ha'), { recursive: true });
  for (const step of ['packages', 'patroni']) chroot(root, ['sh', '/root/ha/install.sh', step]);
  // As the step `florin` does; the package itself is mounted.
  chroot(root, ['useradd', '--system', '--home-dir', '/var/lib/florin', '--shell', '/usr/sbin/nologin', 'florin']);
  copyFileSync(join(repository, 'deploy/florin.service'), join(root, 'etc/systemd/system/florin.service'));
  writeFileSync(stamp, from);
  return root;
}

/** Runs in the new Debian, with this machine's way to the package registries. */
function chroot(root: string, command: string[]): void {
  const bound = ['/etc/resolv.conf', '/etc/ssl/certs/ca-certificates.crt', ...globSync('/etc/apt/apt.conf.d/*')];
  const mounts = bound.flatMap((file) =>
    existsSync(file) ? [`touch ${root}${file}; mount --bind ${file} ${root}${file}`] : [],
  );
  const script = [
    ...mounts,
    `mount -t proc proc ${root}/proc`,
    `mount --bind /dev ${root}/dev`,
    `exec chroot ${root} "$@"`,
  ];
  run('unshare', ['--mount', 'sh', '-ec', script.join('\n'), 'sh', ...command]);
}

function requireFlorin(isKept: boolean): string {
  const folder = join(buildFolder, 'florin');
  const program = join(folder, 'node_modules/.bin/florin');
  if (isKept && existsSync(program)) return folder;
  run('npm', ['run', '--silent', 'package']);
  const [file] = globSync(join(repository, 'build/florin-[0-9]*.tgz')).sort().slice(-1);
  rmSync(folder, { recursive: true, force: true });
  run('npm', [
    'install',
    '--ignore-scripts',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    '--prefix',
    folder,
    file as string,
  ]);
  return folder;
}

function run(program: string, words: string[]): void {
  execFileSync(program, words, { cwd: repository, stdio: ['ignore', 'inherit', 'inherit'] });
}
