// Builds the documentation into build/docs: the pages by VitePress, and the API reference with Scalar. Plain JavaScript
// for Node 20, like install.mjs; what it calls runs on the bundled Node.js.
//
// The pages are built below `/__BASE_PATH__/docs/`, because VitePress has no relative base and the path of the public
// address is known to a node alone, which replaces that part.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtFolder, compress, root, run } from './built-folder.mjs';

const site = join(root, 'tools', 'docs-site');
/** The packages of the site, kept while developing: they take 100 MB and are of no use to a service that runs. */
const tools = join(root, 'build', 'docs-site');
const placeholder = '__BASE_PATH__';

export const builtDocs = builtFolder({
  name: 'docs',
  title: 'the documentation',
  sources: [
    'docs',
    'sdk/README.md',
    'CHANGELOG.md',
    'server/src/app/docs/pages.ts',
    'tools/docs-site',
    'tools/packaging/build-docs.mjs',
  ],
  make(scratch) {
    installTools();
    const pages = join(tools, 'pages');
    rmSync(pages, { recursive: true, force: true });
    run(root, 'node', join(site, 'prepare.ts'), pages);
    for (const file of ['config.mjs', 'diagram.mjs', 'theme']) {
      cpSync(join(site, file), join(pages, '.vitepress', file), { recursive: true });
    }
    // Else the build looks for the repository's own, whose target it does not know.
    writeFileSync(join(tools, 'tsconfig.json'), '{}');
    const output = join(scratch, 'docs');
    run(tools, 'node', join('node_modules', 'vitepress', 'bin', 'vitepress.js'), 'build', 'pages', '--outDir', output);
    cpSync(join(site, 'reference'), join(output, 'reference'), { recursive: true });
    copyFileSync(scalarIn(scratch), join(output, 'reference', 'scalar.js'));
    compress(output, (content) => !content.includes(placeholder));
    const isDeveloping = existsSync(join(root, 'node_modules', 'vite'));
    if (!isDeveloping) rmSync(tools, { recursive: true, force: true });
    return output;
  },
});

function installTools() {
  const lock = readFileSync(join(site, 'package-lock.json'), 'utf8');
  const stamp = join(tools, 'node_modules', '.installed-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  mkdirSync(tools, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(site, file), join(tools, file));
  run(tools, 'npm', 'ci', '--include=optional', '--ignore-scripts', '--prefer-offline', '--loglevel=error');
  writeFileSync(stamp, lock);
}

/**
 * The one file of Scalar that the reference needs. Its package would bring 311 MB of dependencies, which are inside of
 * this file already: only its tarball is fetched, and compared with the checksum in the repository.
 */
function scalarIn(scratch) {
  const { name, version, integrity, file } = JSON.parse(readFileSync(join(site, 'scalar.json'), 'utf8'));
  const kept = join(root, 'build', `scalar-${version}.js`);
  if (existsSync(kept)) return kept;
  run(scratch, 'npm', 'pack', `${name}@${version}`, '--silent', '--prefer-offline', '--pack-destination', scratch);
  const tarball = join(scratch, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
  const checksum = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (checksum !== integrity) throw new Error(`${name}@${version} is not the package of tools/docs-site/scalar.json`);
  const { status } = spawnSync('tar', ['-xzf', tarball, '-C', scratch, file]);
  if (status !== 0) throw new Error(`tar ended with ${status}`);
  renameSync(join(scratch, file), kept);
  return kept;
}
