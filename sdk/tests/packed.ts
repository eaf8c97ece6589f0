import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const run = promisify(execFile);

export interface PackedSdk {
  /** A folder in which `@florin/sdk` is installed from its tarball. */
  folder: string;
  /** The size of the tarball and of the files in it. */
  size: number;
  files: string[];
  /** Imports as a user of the package would. */
  import: <Module>(subpath?: string) => Promise<Module>;
  remove: () => Promise<void>;
}

/** Builds and packs the SDK as for the registry, and unpacks the tarball into an empty project. */
export async function packedSdk(): Promise<PackedSdk> {
  const folder = await mkdtemp(join(tmpdir(), 'florin-sdk-'));
  const source = join(folder, 'source', 'sdk');
  await cp(join(root, 'sdk'), source, {
    recursive: true,
    filter: (path) => !/\/(dist|tests|node_modules)$/.test(path),
  });
  await cp(join(root, 'tsconfig.json'), join(folder, 'source', 'tsconfig.json'));
  const programs = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  await run('npm', ['run', 'build'], { cwd: source, env: { ...process.env, PATH: programs } });
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error'], { cwd: source });
  const [tarball] = JSON.parse(stdout) as [{ filename: string; size: number; files: { path: string }[] }];
  const target = join(folder, 'node_modules', '@florin', 'sdk');
  await mkdir(target, { recursive: true });
  await run('tar', ['-xzf', join(source, tarball.filename), '-C', target, '--strip-components=1']);
  await rm(join(folder, 'source'), { recursive: true });
  return {
    folder,
    size: tarball.size,
    files: tarball.files.map(({ path }) => path),
    import: (subpath = 'index') => import(pathToFileURL(join(target, 'dist', `${subpath}.js`)).href),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** Makes packages of the repository available in the project too. */
export async function link(folder: string, packages: readonly string[]): Promise<void> {
  for (const name of packages) {
    await mkdir(dirname(join(folder, 'node_modules', name)), { recursive: true });
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  }
}
