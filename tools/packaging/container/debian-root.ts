import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Architecture, built } from './places.ts';

/**
 * What Node.js and the embedded PostgreSQL need of a system. initdb runs the server through a shell, and a restore from
 * an archive unpacks the write-ahead log by gzip.
 */
const packages = [
  ...['base-files', 'netbase', 'tzdata', 'ca-certificates'],
  ...['libc6', 'libc-bin', 'libgcc-s1', 'libstdc++6', 'dash', 'gzip'],
];

/** Of these packages, what a running service uses. Licences are in usr/share/doc/NAME/copyright. */
const unneeded = [
  ...['usr/share/man', 'usr/share/info', 'usr/share/locale', 'usr/share/lintian', 'usr/share/bug'],
  ...['usr/share/zoneinfo/posix', 'usr/share/zoneinfo/right', 'usr/lib/*/gconv', 'usr/share/gdb'],
  ...['usr/bin/iconv', 'usr/bin/localedef', 'usr/sbin/iconvconfig', 'usr/sbin/zic', 'usr/bin/zdump'],
];

/**
 * A root of unpacked Debian packages, from the package sources of this machine: no script of a package runs, so any
 * machine makes it for any architecture. Returns its folder, which is kept for the list of packages and their versions.
 */
export function debianRoot(architecture: Architecture): string {
  const apt = aptOf(architecture);
  mkdirSync(join(apt.folder, 'lists', 'partial'), { recursive: true });
  mkdirSync(join(apt.folder, 'cache', 'archives', 'partial'), { recursive: true });
  const uris = () => apt.run('apt-get', '--print-uris', 'download', ...packages).trim();
  // Lists that were fetched once serve until one of their packages is gone.
  if (globSync('*Packages*', { cwd: join(apt.folder, 'lists') }).length === 0) apt.run('apt-get', '-qq', 'update');
  const name = createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .update(uris())
    .digest('hex');
  const root = join(apt.folder, `root-${name.slice(0, 16)}`);
  if (existsSync(root)) return root;
  const [unfinished, archives] = [`${root}.${process.pid}`, join(apt.folder, 'packages')];
  for (const folder of [unfinished, archives]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  try {
    apt.run('apt-get', '-qq', 'download', ...packages);
  } catch {
    // A package of the lists is gone; the next call finds the folder of its successor.
    apt.run('apt-get', '-qq', 'update');
    apt.run('apt-get', '-qq', 'download', ...packages);
  }
  for (const file of globSync('*.deb', { cwd: archives })) {
    execFileSync('dpkg-deb', ['--extract', join(archives, file), unfinished]);
  }
  mergeUsr(unfinished);
  for (const path of unneeded.flatMap((pattern) => globSync(pattern, { cwd: unfinished }))) {
    rmSync(join(unfinished, path), { recursive: true });
  }
  for (const path of globSync('usr/share/doc/*/*', { cwd: unfinished })) {
    if (!path.endsWith('/copyright')) rmSync(join(unfinished, path), { recursive: true, force: true });
  }
  writeCertificates(unfinished);
  renameSync(unfinished, root);
  return root;
}

/** apt for one architecture, with lists and archives of its own: it changes nothing of this machine. */
function aptOf(architecture: Architecture) {
  const folder = built(`debian-${architecture}`);
  const options = {
    'APT::Architecture': architecture,
    'APT::Architectures::': architecture,
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::Cache': join(folder, 'cache'),
    'Dir::State::status': '/dev/null',
    'APT::Sandbox::User': '',
  };
  const words = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  mkdirSync(join(folder, 'packages'), { recursive: true });
  return {
    folder,
    run: (program: string, ...further: string[]) =>
      execFileSync(program, [...words, ...further], {
        cwd: join(folder, 'packages'),
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
  };
}

/** Moves what packages still have in /bin, /lib and /sbin into /usr, and leaves links, as Debian's own systems have. */
function mergeUsr(root: string): void {
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) {
    const [outer, inner] = [join(root, name), join(root, 'usr', name)];
    if (lstatSync(outer, { throwIfNoEntry: false })?.isDirectory()) {
      cpSync(outer, inner, { recursive: true, verbatimSymlinks: true });
      rmSync(outer, { recursive: true });
    }
    if (existsSync(inner)) execFileSync('ln', ['-s', `usr/${name}`, outer]);
  }
  if (!existsSync(join(root, 'usr/bin/sh'))) execFileSync('ln', ['-s', 'dash', join(root, 'usr/bin/sh')]);
}

/** What the script of ca-certificates writes. */
function writeCertificates(root: string): void {
  const certificates = globSync('usr/share/ca-certificates/mozilla/*.crt', { cwd: root }).sort();
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
  const text = certificates.map((path) => readFileSync(join(root, path), 'utf8')).join('');
  writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), text);
}
