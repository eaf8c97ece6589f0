import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { settings } from '@florin/server/app/config/settings.ts';
import { modules } from '@florin/server/app/modules.ts';
import { declaredOpenApi } from '@florin/server/app/openapi/document.ts';
import { referenceTexts } from '@florin/server/app/openapi/reference-texts.ts';
import { expect, test } from 'vitest';
import { operations } from '../../sdk/src/generated/operations.ts';
import { collected, declaredNameFiles } from '../declared-names.ts';
import { apiPages, apiReference, generatedPages, regenerated } from '../generated-pages.ts';
import { valuesSchema, valuesSchemaFile } from '../helm/values-schema.ts';
import { llmsIndex } from '../llms-index.ts';
import { choicesFile } from '../sdk/choices.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (page: string) => readFileSync(join(root, page), 'utf8');

test.each(generatedPages)('the tables in %s match the code (else: npm run docs)', (page) => {
  expect(regenerated(read(page))).toBe(read(page));
});

test('the lists of event types, errors and audit actions are what the modules declare (else: npm run docs)', () => {
  for (const [file, text] of Object.entries(declaredNameFiles())) expect(read(file)).toBe(text);
});

test('values of the chart may give every setting that is neither secret nor its own (else: npm run docs)', () => {
  expect(read(valuesSchema)).toBe(valuesSchemaFile(root));
});

test('the choices of the console are those of the OpenAPI document (else: npm run docs)', () => {
  const file = 'console/src/api/choices.ts';
  expect(read(file)).toBe(choicesFile());
});

test('a listed name keeps its place, a new one comes last, and no two modules declare the same', () => {
  const declared = [{ 'a.new': '1' }, { 'b.kept': '2', 'c.kept': '3' }];
  const all = collected(declared, { 'c.kept': '3', 'd.removed': '4', 'b.kept': '2' });
  expect(Object.entries(all)).toEqual([
    ['c.kept', '3'],
    ['b.kept', '2'],
    ['a.new', '1'],
  ]);
  expect(() => collected([...declared, { 'b.kept': '5' }], {})).toThrow('b.kept');
});

test('the index for language models lists the current pages, and its links lead to files (else: npm run docs)', () => {
  const index = read('docs/llms.txt');
  expect(index).toBe(llmsIndex());
  const links = [...index.matchAll(/\]\((\S+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(40);
  expect(links.filter((link) => !existsSync(join(root, 'docs', link)))).toEqual([]);
});

test('a marker without a generator is an error, not an empty table', () => {
  expect(() => regenerated('<!-- generated: weather -->\n<!-- end -->')).toThrow('weather');
});

test('an outdated table is replaced, and the text around it stays', () => {
  const stale = 'before\n<!-- generated: transitions -->\n| old |\n<!-- end -->\nafter';
  const fresh = regenerated(stale);
  expect(fresh).toMatch(/^before\n/);
  expect(fresh).toMatch(/\nafter$/);
  expect(fresh).toContain('`transaction.succeeded`');
  expect(fresh).not.toContain('old');
});

test('the pages of the API reference are those of the OpenAPI document (else: npm run docs)', () => {
  const generated = apiReference();
  for (const [page, text] of Object.entries(generated)) expect(read(page), page).toBe(text);
  const files = readdirSync(join(root, 'docs/reference/api')).map((file) => `docs/reference/api/${file}`);
  expect(files.sort()).toEqual(Object.keys(generated).sort());
});

test('every endpoint of the API is in the reference with its fields and an example that a test runs', () => {
  const texts = referenceTexts();
  const pages = apiPages();
  expect([...texts.keys()].sort()).toEqual(pages.map(({ page }) => page.replace('.md', '')).sort());
  for (const { page, routes } of pages) {
    const written = texts.get(page.replace('.md', ''));
    const names = routes.map(({ method, path }) => `${method} ${path}`);
    expect([...(written?.operations.keys() ?? [])].sort(), page).toEqual(names.toSorted());
    for (const name of names) {
      expect(read(`docs/reference/api/${page}`), name).toContain(`\n## ${name}\n`);
      const { examples = [] } = written?.operations.get(name) ?? {};
      expect(examples.map(({ commands }) => commands).join('\n'), name).toContain('curl ');
    }
  }
});

test('every sample for the SDK calls the method of its operation', () => {
  for (const [path, methods] of Object.entries(declaredOpenApi().paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const samples = operation['x-codeSamples'] as { label: string; source: string }[];
      const [, name = ''] = /florin\.([\w.]+)\(/.exec(samples[1]?.source ?? '') ?? [];
      expect(operations[name as keyof typeof operations]?.slice(0, 2), name).toEqual([method.toUpperCase(), path]);
    }
  }
});

test('every setting is on the page of settings', () => {
  for (const name of Object.keys(settings)) expect(read('docs/reference/settings.md')).toContain(`| \`${name}\` |`);
});

test('every dependency has its reason on the page of the architecture', () => {
  const page = read('docs/concepts/architecture.md');
  const manifests = ['.', 'packages/embedded-postgres', 'server', 'cli'].map((folder) =>
    JSON.parse(read(`${folder}/package.json`)),
  );
  const dependencies = manifests.flatMap(({ dependencies = {}, devDependencies = {}, optionalDependencies = {} }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  );
  const named = new Set([...(page.split('## Dependencies')[1] ?? '').matchAll(/`([^`\s]+)`/g)].map(([, name]) => name));
  expect(dependencies.filter((name) => !named.has(name))).toEqual([]);
});

test('every file that the page of the architecture names exists', () => {
  const page = read('docs/concepts/architecture.md');
  const paths = [...page.matchAll(/`((?:core|platform|domains|app)\/[\w./-]+|tools\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(root, path.startsWith('tools/') ? '' : 'server/src', path)))).toEqual(
    [],
  );
});

test('every table of the migrations is listed with the module that owns it', () => {
  const listed = Object.fromEntries(
    [...read('docs/reference/tables.md').matchAll(/^\| `(\w+)` \| (\S+) \|/gm)].map(([, table, owner]) => [
      table,
      owner,
    ]),
  );
  const owners = modules.flatMap(({ name, tables }) => tables.map((table) => [table, name]));
  expect(listed).toEqual({
    ...Object.fromEntries(owners),
    idempotency_record: 'platform',
    schema_migration: 'platform',
  });
  const migrations = readdirSync(join(root, 'server/migrations')).map((file) => read(`server/migrations/${file}`));
  const created = migrations.flatMap((text) => [...text.matchAll(/^create table (\w+)/gm)].map(([, name]) => name));
  const renamed = migrations.flatMap((text) =>
    [...text.matchAll(/^ +\('(\w+)', '\w+'\),?$/gm)].map(([, name]) => name),
  );
  const present = created.filter((table) => !renamed.includes(table));
  expect(present.filter((table) => listed[table as string] === undefined)).toEqual([]);
});

test.each(['docs/decisions', 'bench/notes'])('the index of %s names every page', (folder) => {
  const pages = readdirSync(join(root, folder)).filter((file) => file !== 'README.md');
  const index = [...read(`${folder}/README.md`).matchAll(/^\| \[.*?\]\(([^/)]+)\) \|/gm)].map(([, file]) => file);
  expect(index.sort()).toEqual(pages.sort());
});

test('every link between the pages leads to an existing page and heading', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    ...pagesBelow('bench'),
    ...pagesBelow('docs'),
  ];
  const broken = pages.flatMap((page) =>
    [
      ...read(page)
        .replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '')
        .matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g),
    ]
      .filter(([, path = '', anchor]) => !leadsSomewhere(page, path, anchor))
      .map(([link]) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
});

test('every page that a comment or a string of the code names exists', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(root, file)));
  const named = files.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w/])(?:docs|bench)\/(?:[\w-]+\/)*[\w-]+\.md\b/g)].map(([page]) => ({ file, page })),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ page }) => !existsSync(join(root, page)))).toEqual([]);
  const numbered = files.filter((file) => /docs\/decisions(?:\/\d|, )|\((?:decision|record)s? \d+\)/.test(read(file)));
  expect(numbered.filter((file) => !file.endsWith('pages.test.ts'))).toEqual([]);
});

function pagesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function leadsSomewhere(page: string, path: string, anchor: string | undefined): boolean {
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && anchorsOf(read(target)).has(anchor));
}

/** Anchors of headings: lower case, only letters, digits, dashes and underscores; spaces become dashes. */
function anchorsOf(text: string): Set<string> {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  return new Set(
    [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
