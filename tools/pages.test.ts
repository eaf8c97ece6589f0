import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { declaredRoutes } from '../server/src/app/routes.ts';
import { settings } from '../server/src/app/settings.ts';
import { generatedPages, regenerated } from './generated-pages.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (page: string) => readFileSync(join(root, page), 'utf8');

test.each(generatedPages)('the tables in %s are what the code says now (else: npm run docs)', (page) => {
  expect(regenerated(read(page))).toBe(read(page));
});

test('an unknown generated part is an error', () => {
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

test('every endpoint has a section with its fields and an example, and no section is left of a removed one', () => {
  const page = read('docs/api.md');
  const names = declaredRoutes().map(({ method, path }) => `${method} ${path}`);
  expect([...page.matchAll(/^#### (\w+ \/.*)$/gm)].map(([, name]) => name).sort()).toEqual(names.toSorted());
  for (const name of names) {
    const section = page.split(`#### ${name}\n`)[1]?.split(/^#{2,4} /m)[0];
    expect(section, name).toContain(`<!-- generated: request ${name} -->`);
    expect(section, name).toContain('curl ');
  }
});

test('every setting is on the configuration page', () => {
  for (const name of Object.keys(settings)) expect(read('docs/configuration.md')).toContain(`| \`${name}\` |`);
});

test('the architecture page gives the reason for every dependency and the owner of every table', () => {
  const page = read('docs/architecture.md');
  const manifests = ['package.json', 'server/package.json'].map((file) => JSON.parse(read(file)));
  const packages = manifests.flatMap(({ dependencies = {}, devDependencies = {}, optionalDependencies = {} }) =>
    Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }),
  );
  const named = new Set([...(page.split('## Parts')[1] ?? '').matchAll(/`([^`\s]+)`/g)].map(([, name]) => name));
  expect(packages.filter((name) => !named.has(name))).toEqual([]);

  const migrations = readdirSync(join(root, 'server/migrations')).map((file) => read(`server/migrations/${file}`));
  const tables = migrations.flatMap((text) => [...text.matchAll(/^create table (\w+)/gm)].map(([, name]) => name));
  expect(tables.filter((table) => !page.includes(`| \`${table}\` |`))).toEqual([]);
});

test('every link between pages leads to an existing page and heading', () => {
  const pages = ['README.md', 'CONTRIBUTING.md', ...pagesBelow('docs')];
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path = '', anchor]) => !leadsSomewhere(page, path, anchor))
      .map(([link]) => `${page}: ${link}`),
  );
  expect(broken).toEqual([]);
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

/** The anchor of a heading: lower case, only letters, digits, dashes and underscores, spaces as dashes. */
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
