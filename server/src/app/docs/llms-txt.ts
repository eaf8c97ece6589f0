import type { ReferenceGroup } from '../../platform/module.ts';
import { grouped, type Page } from './pages.ts';

interface LlmsTxtOptions {
  basePath?: string;
  linkOf?: (page: Page) => string;
}

/**
 * The index of the documentation for language models (llmstxt.org): what Florin is, and a link to every page as
 * Markdown with its first sentence. `groups` describe the pages of the API reference; `linkOf` returns the address of a
 * page, and `basePath` is that of the public address.
 */
export function llmsTxt(
  pages: readonly Page[],
  groups: readonly ReferenceGroup[],
  { basePath = '', linkOf = ({ path }: Page) => `${basePath}/docs/${path}.md` }: LlmsTxtOptions = {},
): string {
  const described = new Map(
    groups.map(({ name, description }) => [
      `reference/api/${name.toLowerCase().replaceAll(' ', '-')}`,
      description.split('\n\n', 1)[0],
    ]),
  );
  const entry = (page: Page) =>
    entryOf(page.title, linkOf(page), described.get(page.path) ?? firstSentence(page.markdown()));
  const lines = [
    '# Florin',
    '',
    '> A self-hosted payment processing service: payments through providers such as Stripe and Mollie, ' +
      'refunds, a double-entry',
    '> ledger, invoices, subscriptions, and signed webhooks. ' +
      'One Node.js process with a PostgreSQL inside, or many nodes on one.',
    '',
    'Amounts are integers in minor units (1999 is 19.99 USD). ' +
      'Every reply is `{ code, message, data }`, every refusal names its',
    '`error.type`, field and reason. Writes take an `Idempotency-Key`. Unknown fields of a request are refused.',
    '',
    '## API',
    '',
    `Every node serves its OpenAPI 3.1 document at \`${basePath}/openapi.json\`: ` +
      'operations, schemas, webhooks, examples and refusals.',
    '',
  ];
  for (const page of pages.filter(({ path }) => path.startsWith('reference/api/'))) lines.push(entry(page));
  for (const group of grouped(pages)) {
    lines.push('', `## ${group.title}`, '', ...group.pages.map(entry));
  }
  return `${lines.join('\n')}\n`;
}

function entryOf(title: string, link: string, description: string): string {
  return `- [${title}](${link})${description === '' ? '' : `: ${description}`}`;
}

/** The first sentence of the first paragraph of text, without markup. */
function firstSentence(markdown: string): string {
  const paragraph = markdown
    .split(/\n{2,}/)
    .find((block) => /^[A-Z`*]/.test(block) && !block.startsWith('```'))
    ?.replaceAll('\n', ' ');
  const plain = (paragraph ?? '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\*\*/g, '');
  return /^.+?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? '';
}
