import { execFileSync, type StdioOptions, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Architecture, root, type Variant } from './places.ts';

/** The programs that can build the image, in order of preference. Docker takes no base from scratch by itself. */
export const engines = ['buildah', 'podman', 'docker'] as const;

/** chroot needs neither a daemon nor namespaces of its own, and nothing is run while the image is built. */
const environment: NodeJS.ProcessEnv = { ...process.env, BUILDAH_ISOLATION: 'chroot' };

/** Keeps images and layers in this folder from now on, instead of those of the account. */
export function useOwnStorage(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'storage.conf');
  const places = `graphroot = "${join(folder, 'images')}"\nrunroot = "${join(folder, 'run')}"`;
  writeFileSync(file, `[storage]\ndriver = "overlay"\n${places}\n`);
  environment.CONTAINERS_STORAGE_CONF = file;
}

/** Removes images without a name, which builds before this one have left. */
export function removeUnnamed(): void {
  run('buildah', 'rmi', '--prune', '--force');
}

export function findEngine(): string | undefined {
  return engines.find((name) => spawnSync(name, ['--version']).status === 0);
}

const isDocker = (engine: string) => engine === 'docker';

function run(engine: string, ...words: string[]): string {
  const options = { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'inherit'] satisfies StdioOptions };
  return execFileSync(engine, words, { ...options, encoding: 'utf8' }).trim();
}

/** An image that consists of this folder. Needs buildah. */
export function baseFrom(folder: string, architecture: Architecture): string {
  const image = `localhost/florin-base:${architecture}-${basename(folder)}`;
  if (spawnSync('buildah', ['inspect', '--type=image', image], { env: environment }).status === 0) return image;
  const container = run('buildah', 'from', `--arch=${architecture}`, 'scratch');
  run('buildah', 'config', `--arch=${architecture}`, '--os=linux', container);
  run('buildah', 'copy', '--quiet', '--chown=0:0', container, folder, '/');
  run('buildah', 'commit', '--quiet', '--rm', '--timestamp=0', container, image);
  return image;
}

interface Build {
  base: string;
  architecture: Architecture;
  variant: Variant;
  tag: string;
}

export function buildImage(engine: string, { base, architecture, variant, tag }: Build): void {
  const common = ['--platform', `linux/${architecture}`, '--build-arg', `BASE=${base}`];
  // The format of OCI has no health checks.
  const format = isDocker(engine) ? [] : ['--format=docker', '--layers', '--timestamp=0'];
  // A base of this machine is of no registry.
  const pull = base.startsWith('localhost/') && !isDocker(engine) ? ['--pull=never'] : [];
  const words = [...pull, '--build-arg', `VARIANT=${variant}`, '--quiet', '-t', tag, '-f', 'Containerfile', '.'];
  run(engine, 'build', ...format, ...common, ...words);
}

export interface ImageSettings {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
}

/** How an engine would start the image. */
export function settingsOf(image: string): ImageSettings {
  const { Docker } = JSON.parse(run('buildah', 'inspect', '--type=image', image)) as {
    Docker: { config: ImageSettings };
  };
  return Docker.config;
}

/** Bytes of what a registry stores, and of what a node unpacks. */
export function sizesOf(image: string, scratch: string): { compressed: number; unpacked: number } {
  run('buildah', 'push', '--quiet', '--format=oci', image, `oci:${scratch}`);
  const { manifests } = JSON.parse(readFileSync(join(scratch, 'index.json'), 'utf8')) as Index;
  const digest = manifests[0]?.digest.replace(':', '/') ?? '';
  const manifest = JSON.parse(readFileSync(join(scratch, 'blobs', digest), 'utf8')) as Manifest;
  const compressed = manifest.layers.reduce((sum, { size }) => sum + size, 0);
  using files = mount(image);
  const [unpacked] = execFileSync('du', ['--summarize', '--bytes', files.folder]).toString().split('\t');
  return { compressed, unpacked: Number(unpacked) };
}

interface Index {
  manifests: { digest: string }[];
}
interface Manifest {
  layers: { size: number }[];
}

/** The files of an image in a folder, until it is closed. */
export function mount(image: string): { folder: string; [Symbol.dispose]: () => void } {
  const container = run('buildah', 'from', '--pull-never', image);
  const folder = run('buildah', 'mount', container);
  return { folder, [Symbol.dispose]: () => run('buildah', 'rm', container) };
}
