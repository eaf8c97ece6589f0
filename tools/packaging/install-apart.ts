import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Installs the packages of `tools/NAME`, which nothing else needs, into `build/NAME`, once for each lock file. Returns
 * that folder; ends the process when they cannot be installed.
 */
export function installApart(name: string): string {
  const source = join(root, 'tools', name);
  const folder = join(root, 'build', name);
  mkdirSync(folder, { recursive: true });
  const stamp = join(folder, 'node_modules', '.installed-from');
  const lock = readFileSync(join(source, 'package-lock.json'), 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return folder;
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(source, file), join(folder, file));
  const words = ['ci', '--ignore-scripts', '--loglevel=error'];
  const { status } = spawnSync('npm', words, { cwd: folder, stdio: ['ignore', process.stderr, 'inherit'] });
  if (status !== 0) {
    console.error(`npm ${words.join(' ')} failed in ${folder}.`);
    process.exit(1);
  }
  writeFileSync(stamp, lock);
  return folder;
}
