import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../../', import.meta.url);

/** A page of the documentation. */
export interface Page {
  /** Below /docs: `guides/webhooks`. */
  path: string;
  /** From the folder of the repository, with slashes: links between pages are relative to it. */
  file: string;
  title: string;
  markdown: () => string;
}

/** Pages whose path is not that of their file in `docs/`. */
const elsewhere: Readonly<Record<string, string>> = {
  'docs/README.md': 'overview',
  'docs/reference/api/README.md': 'reference/api',
  'sdk/README.md': 'sdk',
  'CHANGELOG.md': 'changelog',
};

/**
 * The pages that every node serves: for those who use the service, not for those who change it. None without the
 * folder.
 */
export function pages(): Page[] {
  const folder = new URL('docs/', root);
  if (!existsSync(folder)) return [];
  const written = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `docs/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/') && file !== 'docs/recipes.md')
    .sort();
  return [...new Set([...written, ...Object.keys(elsewhere)])]
    .filter((file) => existsSync(new URL(file, root)))
    .map((file) => {
      const markdown = () => readFileSync(fileURLToPath(new URL(file, root)), 'utf8');
      const path = elsewhere[file] ?? file.slice('docs/'.length, -'.md'.length);
      return { path, file, title: /^# (.+)$/m.exec(markdown())?.[1] ?? path, markdown };
    });
}

/** The groups of the navigation in order, each with the beginning of its pages' paths or with the paths. */
const groups: readonly [string, string | readonly string[]][] = [
  ['Start', ['overview', 'quickstart', 'sdk', 'guides/command-line']],
  ['A shop', ['setup', 'express', 'fastify', 'hono', 'next'].map((name) => `guides/frameworks/${name}`)],
  ['Guides', 'guides/'],
  ['Concepts', 'concepts/'],
  ['Reference', 'reference/'],
  ['Releases', ['versioning', 'changelog', 'comparison', 'performance']],
];

/** A group of pages as readers see it. */
export interface PageGroup {
  title: string;
  pages: readonly Page[];
}

/** Every page by group, but for those of the API reference, which the reference itself has. */
export function grouped(pages: readonly Page[]): PageGroup[] {
  const left = new Set(pages.filter(({ path }) => !path.startsWith('reference/api/')));
  return groups
    .map(([title, where]) => {
      const all = [...left];
      const own =
        typeof where === 'string'
          ? all.filter(({ path }) => path.startsWith(where))
          : where.flatMap((path) => all.filter((page) => page.path === path));
      for (const page of own) left.delete(page);
      return { title, pages: own };
    })
    .filter((group) => group.pages.length > 0);
}
