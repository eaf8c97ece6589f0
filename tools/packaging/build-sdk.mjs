// Builds the package of the client library into build/sdk, which every node serves as /sdk.tgz. Plain JavaScript for
// Node 20, like install.mjs.
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtFolder, root, run } from './built-folder.mjs';

const sources = [
  'sdk/package.json',
  'sdk/LICENSE',
  'sdk/README.md',
  'sdk/mark-cjs.mjs',
  'sdk/src',
  'sdk/tsconfig.build.json',
  'sdk/tsconfig.cjs.json',
  'tsconfig.json',
];

export const builtSdk = builtFolder({
  name: 'sdk',
  title: 'the package of the client library',
  sources: [...sources, 'tools/packaging/build-sdk.mjs'],
  make(scratch) {
    const copy = join(scratch, 'copy');
    for (const path of sources) copyTo(copy, path);
    // An installation that only runs the service has no compiler: it is installed in the copy.
    if (!existsSync(join(root, 'node_modules', 'typescript'))) installCompiler(copy);
    const folder = join(copy, 'sdk');
    run(folder, 'npm', 'run', '--silent', 'build');
    const output = join(scratch, 'sdk');
    mkdirSync(output);
    run(folder, 'npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', scratch);
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const tarball = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
    renameSync(join(scratch, tarball), join(output, 'sdk.tgz'));
    return output;
  },
});

function copyTo(folder, path) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  cpSync(join(root, path), join(folder, path), { recursive: true });
}

function installCompiler(folder) {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifests = workspaces.map((one) => `${one}/package.json`);
  for (const path of ['package.json', 'package-lock.json', '.npmrc', ...manifests]) copyTo(folder, path);
  const words = ['--workspace', 'sdk', '--include=dev', '--include=optional', '--ignore-scripts'];
  run(folder, 'npm', 'ci', ...words, '--prefer-offline', '--loglevel=error');
}
