import { relative } from 'node:path';
import { pageOf } from '@florin/server/app/openapi/document.ts';
import type { OpenApiDocument } from '@florin/server/platform/http/openapi/document.ts';

const folder = 'docs/reference/api';

/** What the pages show of an operation of the document. */
interface Operation {
  tags: string[];
  summary: string;
  description?: string;
  'x-shell-examples'?: { commands: string; answer?: string }[];
  'x-codeSamples': { lang: string; label: string; source: string }[];
}

/**
 * The pages of `docs/reference/api`, from the OpenAPI document, by their paths. Tables of records and fields stand
 * between marks, which `regenerated` in generated-pages.ts fills.
 */
export function referencePages({ tags, paths }: OpenApiDocument): Record<string, string> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation: operation as unknown as Operation,
    })),
  );
  const pages = tags.flatMap((tag) => {
    const group = String(tag.name);
    const own = operations.filter(({ operation }) => operation.tags.includes(group));
    // Health checks have no page: they are in the guide on operations.
    if (own.length === 0 || !own.some(({ name }) => name.includes(' /api/') || name.includes('/inbox/'))) return [];
    const file = `${folder}/${pageOf(group)}.md`;
    return [[file, withRelativeLinks(pageText(group, String(tag.description), own), file)] as const];
  });
  return { [`${folder}/README.md`]: index, ...Object.fromEntries(pages) };
}

const index = `# API reference

Every endpoint, on one page for each group. Each node serves the same reference at \`/docs/reference/api\`, to try with
a test key. [Using the API](../../guides/api.md) says what holds for all endpoints. These pages are generated from the
OpenAPI document by \`npm run docs\`; a test runs their examples against a real service.

<!-- generated: api pages -->
<!-- end -->
`;

function pageText(group: string, description: string, operations: { name: string; operation: Operation }[]): string {
  const [about = '', ...records] = description.split(/^(?=## )/m);
  const marks = (text: string) => text.replaceAll(/^(<!-- generated: .+ -->)$/gm, '$1\n<!-- end -->');
  const parts = [
    `# ${group}`,
    about,
    `<!-- generated: endpoints ${group} -->`,
    ...records,
    ...operations.flatMap(({ name, operation }) => sectionOf(name, operation)),
  ];
  return `${parts.map((part) => marks(part.trim())).join('\n\n')}\n`;
}

function sectionOf(name: string, operation: Operation): string[] {
  const examples = operation['x-shell-examples'] ?? [];
  const samples = operation['x-codeSamples'].filter(({ label }) => label !== 'curl');
  return [
    `## ${name}`,
    `${operation.summary}.`,
    operation.description ?? '',
    `<!-- generated: request ${name} -->`,
    ...examples.flatMap(({ commands, answer }) => [fenced('sh', commands), answer ? fenced('json', answer) : '']),
    ...samples.map(({ lang, label, source }) =>
      fenced(`${lang === 'TypeScript' ? 'ts' : 'console'} [${label}]`, `${source}\n`),
    ),
  ].filter(Boolean);
}

const fenced = (info: string, text: string) => `\`\`\`${info}\n${text}\`\`\``;

/** The document has addresses of the service, which are those of files for readers of the repository. */
function withRelativeLinks(text: string, from: string): string {
  return text.replaceAll(/\]\(\/docs(\/[^)#\s]*)?(#[^)\s]*)?\)/g, (_all, path: string = '', anchor: string = '') => {
    const file = fileOf(path.slice(1));
    return file === from ? `](${anchor})` : `](${relative(folder, file)}${anchor})`;
  });
}

/** Pages whose file is not at their path below `docs/`. */
const elsewhere: Readonly<Record<string, string>> = {
  errors: 'docs/reference/errors.md',
  overview: 'docs/README.md',
  sdk: 'sdk/README.md',
  'reference/api': `${folder}/README.md`,
};

const fileOf = (path: string) => elsewhere[path] ?? `docs/${path}.md`;
