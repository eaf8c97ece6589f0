import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { modules } from '@florin/server/app/modules.ts';

/**
 * Checks the rules of the architecture (docs/concepts/architecture.md) against imports and SQL:
 * - a file imports only from its own layer or a layer below;
 * - folders of platform/ do not import each other, except that all use `caching` and `concurrency`, `jobs` `postgres`,
 *   `lists` also `http`, and `http` `admission`;
 * - a module imports only modules that come earlier in `app/modules.ts`;
 * - of the two files of a group, modules of the group and of those above import `app.ts`, and only `app/` imports
 *   `services.ts`;
 * - only a table's owner writes it;
 * - no circular imports, and no file that nothing imports;
 * - a package of `packages/` imports nothing from outside of its folder by path, and nothing imports the server by
 *   path;
 * - of the server the console shares `core/` alone;
 * - nothing below app/ reads the system clock;
 * - nothing returns `T | Promise<T>`: the linter cannot see when such a promise is dropped.
 */
const layers = ['core', 'platform', 'domains', 'app'];

const moduleNames: readonly string[] = modules.map(({ name }) => name);

/** In `domains/`, each built on those before it. */
const groups = ['identity', 'webhooks', 'payments', 'billing'];

const ownerOfTable = new Map<string, string>(
  modules.flatMap(({ name, tables }) => tables.map((table) => [table, name] as const)),
);

/** Data structures without I/O, for all of platform/. */
const structures = ['caching', 'concurrency'];

/** Folders of platform/ that may import others. */
const platformDependencies: Record<string, readonly string[]> = {
  http: ['admission'],
  jobs: ['postgres'],
  lists: ['http', 'postgres'],
};

/** Entry points of processes and of the command line, which is in cli/: nothing below server/src imports them. */
const entryPoints = [
  'app/backup.ts',
  'app/commands/create-admin.ts',
  'app/commands/migrate.ts',
  'app/commands/remove-second-factor.ts',
  'app/doctor.ts',
  'app/main.ts',
  'app/rehearse.ts',
  'app/reseal.ts',
  'app/restore.ts',
  'app/verify.ts',
  'domains/billing/documents/pdf/pdf-process.ts',
  'app/processes/child.ts',
];

export interface Source {
  /** From server/src, with slashes. */
  path: string;
  text: string;
}

/** One line for each broken rule. */
export function brokenRules(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
  return [
    ...sources.flatMap((source) => [
      ...brokenImports(source, graph),
      ...brokenWrites(source),
      ...clockReads(source),
      ...maybePromises(source),
    ]),
    ...circularImports(graph),
    ...unusedFiles(graph),
  ];
}

function importsOf({ path, text }: Source): string[] {
  const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...specifiers].map(([, specifier]) =>
    join(dirname(path), specifier as string)
      .split(sep)
      .join('/'),
  );
}

/** `npm test`, `npm run stories`, `processes`, `browser` and `drills` each run one kind of files. */
const isTest = (path: string) =>
  /\.(test|story|process|browser|drill)\.ts$/.test(path) || path.startsWith('../tests/') || path.includes('/fixture/');

/** The module that a file belongs to: `domains/payments/refunds/create.ts` belongs to `refunds`. */
const moduleOf = (path: string) => path.split('/')[2] ?? '';

/**
 * A group's `app.ts` names what its modules use at run time, `services.ts` makes it. Both import all modules of the
 * group and belong to none.
 */
const isOfGroup = (path: string) => /^domains\/\w+\/(app|services)\.ts$/.test(path);

const rankOf = (path: string) => groups.indexOf(path.split('/')[1] ?? '');

function brokenImports({ path }: Source, graph: ReadonlyMap<string, string[]>): string[] {
  if (isTest(path)) return [];
  const [layer = '', folder = ''] = path.split('/');
  if (!layers.includes(layer)) return [`${path}: ${layer}/ is not a layer; there are ${layers.join(', ')}.`];
  if (layer === 'domains' && !isOfGroup(path) && !moduleNames.includes(moduleOf(path))) {
    return [`${path}: ${moduleOf(path)} is not a module of app/modules.ts.`];
  }
  return (graph.get(path) ?? []).flatMap((target) => {
    const [targetLayer = '', targetFolder = ''] = target.split('/');
    const line = `${path} imports ${target}`;
    if (isTest(target)) return [`${line}: only tests may import from tests.`];
    if (layers.indexOf(targetLayer) > layers.indexOf(layer))
      return [`${line}: a layer imports only from itself or below.`];
    if (layer === 'platform' && targetLayer === 'platform' && !mayImport(folder, targetFolder)) {
      return [`${line}: folders of platform/ do not import each other; pass it in.`];
    }
    if (isOfGroup(target) && target.endsWith('/services.ts') && layer !== 'app')
      return [`${line}: only app/ makes the services of a group.`];
    if (layer === 'domains' && targetLayer === 'domains' && (isOfGroup(path) || isOfGroup(target))) {
      if (rankOf(target) > rankOf(path)) return [`${line}: ${targetFolder} is a group above ${folder}.`];
    } else if (layer === 'domains' && targetLayer === 'domains') {
      const [from, to] = [moduleNames.indexOf(moduleOf(path)), moduleNames.indexOf(moduleOf(target))];
      if (to > from) return [`${line}: ${moduleOf(target)} comes after ${moduleOf(path)} in app/modules.ts.`];
    }
    return [];
  });
}

/** A package stands alone: what it needs from elsewhere is a dependency, which it imports by name. */
export function importsFromOutside(packageName: string, sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    importsOf(source)
      .filter((target) => target.startsWith('../'))
      .map((target) => `packages/${packageName}/${source.path} imports ${target}: a package imports others by name.`),
  );
}

/**
 * Other folders import the server by name, and the console only what it shares with it. Two are imported by path: the
 * sources of the SDK, whose package exports what is built and published; and by `cli/src` the server, because both are
 * published in one package.
 */
export function importsOfServer(folder: string, sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const line = `${folder}/${source.path} imports`;
    const byPath = importsOf({ ...source, path: `${folder}/${source.path}` }).filter((target) =>
      target.startsWith('server/'),
    );
    const byName = [...source.text.matchAll(/'@florin\/server\/([^']+)'/g)].map(([, target]) => target as string);
    const unshared = folder === 'console/src' ? byName.filter((target) => !target.startsWith('core/')) : [];
    return [
      ...byPath.map((target) => `${line} ${target}: import the server by name (server/package.json).`),
      ...unshared.map((target) => `${line} ${target} of the server: the console shares only its core/.`),
    ];
  });
}

/** Files directly in platform/ define modules and may import all of its folders. */
function mayImport(folder: string, target: string): boolean {
  return (
    folder === target ||
    folder.endsWith('.ts') ||
    [...structures, ...(platformDependencies[folder] ?? [])].includes(target)
  );
}

function brokenWrites({ path, text }: Source): string[] {
  if (isTest(path) || !path.startsWith('domains/')) return [];
  const writes = text.matchAll(/\b(?:insert into|update|delete from)\s+([a-z_]+)\b/g);
  return [...new Set([...writes].map(([, table]) => table as string))]
    .filter((table) => (ownerOfTable.get(table) ?? moduleOf(path)) !== moduleOf(path))
    .map((table) => `${path} writes ${table}: only ${ownerOfTable.get(table)} may.`);
}

function clockReads({ path, text }: Source): string[] {
  if (isTest(path) || path.startsWith('app/') || path === 'core/clock.ts') return [];
  return /\bDate\.now\(|new Date\(\)/.test(text) ? [`${path} reads the clock: take a Clock as a parameter.`] : [];
}

/** A caller that dropped such a promise ended the process when the database was unavailable. */
function maybePromises({ path, text }: Source): string[] {
  if (isTest(path)) return [];
  return /\|\s*Promise<|\binstanceof Promise\b/.test(text)
    ? [`${path} has a value or a promise of it: offer a synchronous lookup and an asynchronous function instead.`]
    : [];
}

function circularImports(graph: ReadonlyMap<string, string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      found.push(`circular imports: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

function unusedFiles(graph: ReadonlyMap<string, string[]>): string[] {
  const imported = new Set([...graph].flatMap(([path, targets]) => (isTest(path) ? [] : targets)));
  return [...graph.keys()]
    .filter((path) => !isTest(path) && !imported.has(path) && !entryPoints.includes(path))
    .map((path) => `${path}: nothing imports it.`);
}

export function sourcesBelow(dir: string): Source[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(dir, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }));
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const packages = join(root, 'packages');
  const besides = ['bench', 'cli/tests', 'console/src', 'console/tests', 'sdk/src', 'sdk/tests', 'tools'];
  const broken = [
    ...brokenRules(sourcesBelow(join(root, 'server', 'src'))),
    ...readdirSync(packages).flatMap((name) => importsFromOutside(name, sourcesBelow(join(packages, name)))),
    ...besides.flatMap((folder) => importsOfServer(folder, sourcesBelow(join(root, folder)))),
  ];
  for (const line of broken) console.error(line);
  console.log(broken.length === 0 ? 'layers: every rule holds' : `layers: ${broken.length} rules broken`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}
