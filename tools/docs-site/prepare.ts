import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grouped, type Page, pages } from '@florin/server/app/docs/pages.ts';
import { declaredOpenApi } from '@florin/server/app/openapi/document.ts';

/**
 * `node prepare.ts FOLDER` writes the pages as VitePress takes them: at their paths, with links to pages instead of
 * files of the repository, and the navigation. Blocks of code with labels, which follow each other, become tabs.
 */
const target = process.argv[2] as string;
/** Stands for the path of the public address. */
const service = '/__BASE_PATH__';
const referenceLinks = [
  { text: 'API reference', link: '/reference/api', target: '_self' },
  { text: 'All endpoints', link: '/reference/endpoints' },
];
const root = fileURLToPath(new URL('../../', import.meta.url));
const written = pages().filter(({ path }) => !path.startsWith('reference/api/'));
const byFile = new Map(pages().map((page) => [page.file, page]));

for (const page of written) write(`${page.path}.md`, prepared(page));
cpSync(join(root, 'docs/images'), join(target, 'images'), { recursive: true });
cpSync(fileURLToPath(new URL('index.md', import.meta.url)), join(target, 'index.md'));
write('reference/endpoints.md', endpoints());
write('.vitepress/navigation.json', JSON.stringify(navigation()));

function write(path: string, text: string): void {
  const file = join(target, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Each group with its pages, as the side bar of VitePress takes them. */
function navigation(): object[] {
  return grouped(written).map(({ title, pages: own }) => ({
    text: title,
    items: [
      ...(title === 'Reference' ? referenceLinks : []),
      ...own.map((page) => ({ text: page.title, link: `/${page.path}` })),
    ],
  }));
}

/** Every operation of the API with a link to the reference, so that a search finds it. */
function endpoints(): string {
  const sections = Object.entries(declaredOpenApi().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary, description = '' } = operation as Record<string, string>;
      const heading = `${method.toUpperCase()} ${path}`;
      const anchor = heading.toLowerCase().replaceAll(/[/{}]/g, '').replaceAll(' ', '-');
      const [about = ''] = description.split('\n\n', 1);
      const link = `[${summary}](${service}/docs/reference/api#${anchor})`;
      return `## ${heading} (\`${operationId}\`)\n\n${link}. ${escaped(about.replaceAll('](/docs/', '](/'))}\n`;
    }),
  );
  return `---\noutline: false\n---\n\n# All endpoints\n\n${sections.join('\n')}`;
}

function prepared(page: Page): string {
  return withTabs(
    page
      .markdown()
      .split(/^(```[\s\S]*?^```$)/m)
      .map((part, index) => (index % 2 === 1 ? part : proseOf(part, page)))
      .join(''),
  );
}

function proseOf(text: string, page: Page): string {
  return text
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (all, image, label, href) =>
      image === '!' ? all : linkTo(href, label, page),
    )
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : escaped(part)))
    .join('');
}

/** VitePress takes pages for templates of Vue: brackets and braces in prose are text. */
function escaped(prose: string): string {
  return prose.replaceAll(/<(?!br>|https?:)/g, '&lt;').replaceAll('{{', '&#123;&#123;');
}

/** A link to a page of the site; the text alone where it leads to a file that is not served. */
function linkTo(href: string, label: string, from: Page): string {
  if (/^([a-z]+:|#)/.test(href)) return `[${label}](${href})`;
  if (href.startsWith('/')) return `[${label}](${service}${href})`;
  const { pathname, hash } = new URL(href, `http://docs/${from.file}`);
  const page = byFile.get(pathname.slice(1));
  if (page === undefined) return label;
  const isReference = page.path.startsWith('reference/api/');
  return `[${label}](${isReference ? `${service}/docs` : ''}/${page.path}${hash})`;
}

/** Blocks such as `sh [curl]` and `ts [TypeScript]`, one after the other. */
function withTabs(markdown: string): string {
  const labelled = '```\\w+ \\[[^\\]]+\\]\\n[\\s\\S]*?^```$';
  return markdown.replaceAll(new RegExp(`(?:^${labelled}\\s*)+`, 'gm'), (blocks) => {
    return `::: code-group\n\n${blocks.trimEnd()}\n\n:::\n\n`;
  });
}
