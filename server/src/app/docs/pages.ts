import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NavGroup } from './shell.ts';

const folder = new URL('../../../../docs/', import.meta.url);

/** A page of `docs/`. */
export interface Page {
  /** Below /docs: `guides/webhooks`. */
  path: string;
  title: string;
  markdown: () => string;
}

/** The pages that every node serves: for those who use the service, not for those who change it. None without the folder. */
export function pages(): Page[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.md') && !file.startsWith('decisions/') && file !== 'recipes.md')
    .sort()
    .map((file) => {
      const markdown = () => readFileSync(fileURLToPath(new URL(file, folder)), 'utf8');
      return { path: file.slice(0, -3), title: /^# (.+)$/m.exec(markdown())?.[1] ?? file, markdown };
    });
}

const groups: readonly [string, string][] = [
  ['Guides', 'guides/'],
  ['Concepts', 'concepts/'],
  ['Tables', 'reference/'],
];

/** The navigation: the reference first, then the pages by folder. */
export function navOf(pages: readonly Page[]): NavGroup[] {
  const reference = { title: 'API', entries: [{ href: '/docs', title: 'Reference' }] };
  const written = groups.map(([title, prefix]) => ({
    title,
    entries: pages
      .filter(({ path }) => path.startsWith(prefix) && !path.startsWith('reference/api/'))
      .map(({ path, title }) => ({ href: `/docs/${path}`, title })),
  }));
  return [reference, ...written.filter(({ entries }) => entries.length > 0)];
}
