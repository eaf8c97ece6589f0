// Builds the console into build/console. Plain JavaScript for Node 20, like install.mjs; the build itself runs on the
// bundled Node.js.
//
// An installation that only runs the service has no build tools: they are installed beside it, and removed after the
// build.
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtFolder, compress, root, run } from './built-folder.mjs';

/** The sources of the console, including the SDK and the arithmetic of money in the server. */
const sources = [
  'console/index.html',
  'console/package.json',
  'console/vite.config.ts',
  'console/src',
  'sdk/src',
  'server/src/core',
];

export const builtConsole = builtFolder({
  name: 'console',
  title: 'the console',
  sources: [...sources, 'package-lock.json', 'tools/packaging/build-console.mjs'],
  make(scratch) {
    const toolsRoot = existsSync(join(root, 'node_modules', 'vite')) ? root : installTools(join(scratch, 'tools'));
    const output = join(scratch, 'console');
    const vite = join(toolsRoot, 'node_modules', 'vite', 'bin', 'vite.js');
    run(toolsRoot, 'node', vite, 'build', 'console', '--outDir', output, '--emptyOutDir', '--logLevel', 'warn');
    compress(join(output, 'assets'));
    return output;
  },
});

/** A copy of the sources with only the packages of the console. */
function installTools(folder) {
  for (const path of [
    ...sources,
    'package.json',
    'package-lock.json',
    '.npmrc',
    'server/package.json',
    'packages/embedded-postgres/package.json',
    'tsconfig.json',
    'console/tsconfig.json',
  ]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  const words = ['--workspace', 'console', '--include=dev', '--include=optional', '--ignore-scripts'];
  run(folder, 'npm', 'ci', ...words, '--prefer-offline', '--loglevel=error');
  return folder;
}
