import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const target = join(root, 'build', 'package');
/** Workspaces that the service imports by name. They are private, so the package brings them along. */
const bundled = ['packages/embedded-postgres'];

interface Manifest {
  name: string;
  version: string;
  license: string;
  description: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, unknown>;
  exports?: Record<string, string>;
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/**
 * Writes the files of the package into build/package, and returns that folder. Node.js does not strip types in
 * installed packages, so it contains JavaScript. Each file is where its source is, so that paths relative to a source
 * stay valid; the packages of `packages/` are in its `node_modules`, where they are imported by name. Ends the process
 * if the console or the documentation is not built.
 */
export function layOutPackage(): string {
  requirePages();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  transpile();
  bundlePackages();
  copyFilesBesideCode();
  writeManifest();
  return target;
}

/** An installed package builds nothing, so that it brings the console and the documentation. */
function requirePages(): void {
  const missing = ['console', 'docs', 'sdk'].filter((name) => !existsSync(join(root, 'build', name, '.built-from')));
  if (missing.length === 0) return;
  console.error(`Not built, see above: ${missing.join(', ')}. Nothing was packed.`);
  process.exit(1);
}

function transpile(): void {
  const config = join(target, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    rewriteRelativeImportExtensions: true,
    rootDir: root,
    outDir: target,
    resolveJsonModule: true,
  };
  const include = [
    'server/src/app/main.ts',
    'cli/src/main.ts',
    'server/src/domains/billing/documents/pdf/pdf-process.ts',
    'server/src/app/processes/child.ts',
    // What is imported by name counts as compiled already, and so does what that imports.
    ...bundled.flatMap((folder) => globSync(`${folder}/src/*.ts`, { cwd: root })),
  ];
  const files = include.map((file) => join(root, file));
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }));
  execFileSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', config], { cwd: root, stdio: 'inherit' });
  rmSync(config);
  // The compiler rewrites imports, not names of files that are run.
  for (const file of globSync('**/*.js', { cwd: target })) {
    const path = join(target, file);
    const text = readFileSync(path, 'utf8');
    const rewritten = text.replaceAll(/(new URL\('\.[^']*)\.ts'/g, "$1.js'");
    if (rewritten !== text) writeFileSync(path, rewritten);
  }
}

/** Moves them to where Node.js finds them by name. What they depend on, the package itself depends on. */
function bundlePackages(): void {
  for (const folder of bundled) {
    const { name, version, license, exports = {} } = manifestOf(folder);
    const place = join(target, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    renameSync(join(target, folder), place);
    const emitted = Object.entries(exports)
      .map(([path, file]) => [path, file.replace(/\.ts$/, '.js')] as const)
      .filter(([, file]) => existsSync(join(place, file)));
    const manifest = { name, version, license, type: 'module', exports: Object.fromEntries(emitted) };
    writeFileSync(join(place, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

/** The files that the service and the command line read besides their code. */
function copyFilesBesideCode(): void {
  for (const path of [
    'server/migrations',
    'server/src/app/openapi/reference',
    'docs',
    'build/console',
    'build/docs',
    'build/sdk',
    'README.md',
    'CHANGELOG.md',
    'sdk/README.md',
    'deploy',
    'LICENSE',
  ]) {
    if (existsSync(join(root, path))) cpSync(join(root, path), join(target, path), { recursive: true });
  }
  // A package has no links: the alerts of the chart are those of deploy/prometheus.
  const alerts = join(target, 'deploy/helm/files/florin.rules.yml');
  rmSync(alerts);
  cpSync(join(root, 'deploy/prometheus/florin.rules.yml'), alerts);
  const bin = readFileSync(join(root, 'cli/bin/florin.mjs'), 'utf8').replace('../src/main.ts', '../src/main.js');
  mkdirSync(join(target, 'cli/bin'), { recursive: true });
  writeFileSync(join(target, 'cli/bin/florin.mjs'), bin, { mode: 0o755 });
}

function writeManifest(): void {
  const [whole, server, cli] = ['.', 'server', 'cli'].map(manifestOf) as [Manifest, Manifest, Manifest];
  const packages = bundled.map(manifestOf);
  const manifest = {
    name: 'florin',
    version: whole.version,
    description: whole.description,
    license: whole.license,
    type: 'module',
    bin: { florin: 'cli/bin/florin.mjs' },
    engines: { node: '>=20' },
    dependencies: mergedOf('dependencies', [...packages, server, cli]),
    bundleDependencies: packages.map(({ name }) => name),
    optionalDependencies: mergedOf('optionalDependencies', [...packages, server, whole]),
    peerDependencies: server.peerDependencies,
    peerDependenciesMeta: server.peerDependenciesMeta,
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

function mergedOf(which: 'dependencies' | 'optionalDependencies', manifests: Manifest[]): Record<string, string> {
  return Object.assign({}, ...manifests.map((manifest) => manifest[which]));
}
