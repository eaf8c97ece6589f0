import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { environmentName, settings } from '@florin/server/app/config/settings.ts';
import { modules } from '@florin/server/app/modules.ts';
import { declaredOpenApi } from '@florin/server/app/openapi/document.ts';
import { allRoutes, groups } from '@florin/server/app/routes.ts';
import { scopeOfEventType } from '@florin/server/core/event-types.ts';
import { rules } from '@florin/server/core/refusal-rules.ts';
import { roles } from '@florin/server/core/scopes.ts';
import { auditActions } from '@florin/server/domains/identity/audit/actions.ts';
import { behaviours } from '@florin/server/domains/payments/providers/sandbox/behaviours.ts';
import { methodWords } from '@florin/server/domains/payments/providers/sandbox/method-words.ts';
import type { Need, Route } from '@florin/server/platform/http/route.ts';
import type { TSchema } from 'typebox';
import { referencePages } from './api-reference.ts';
import { declaredNameFiles } from './declared-names.ts';
import { valuesSchema, valuesSchemaFile } from './helm/values-schema.ts';
import { llmsIndex } from './llms-index.ts';
import { choicesFile } from './sdk/choices.ts';
import { sdkFiles } from './sdk/generate.ts';
import { invoiceTables } from './tables/invoice-tables.ts';
import { ledgerTables } from './tables/ledger-tables.ts';
import { table } from './tables/markdown-table.ts';
import { metricsTable } from './tables/metrics-table.ts';
import { paymentTables } from './tables/payment-tables.ts';
import { providerTables } from './tables/provider-tables.ts';
import { requestTable, shapeTable } from './tables/shape-tables.ts';
import { subscriptionTables } from './tables/subscription-tables.ts';
import { answerHelp } from './usage.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Pages with tables that are derived from the code: settings, endpoints, fields, transitions, scopes. Each table stands
 * between `<!-- generated: name -->` and `<!-- end -->`. `npm run docs` writes them; a test compares.
 */
export const generatedPages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((page) => `docs/${page}`)
  .filter((page) => page.endsWith('.md') && readFileSync(join(root, page), 'utf8').includes('<!-- generated: '))
  // The examples of the recipes contain markers; the API reference is generated as a whole.
  .filter((page) => page !== 'docs/recipes.md' && !page.startsWith('docs/reference/api/'))
  .sort();

/** The pages of the API reference, by their paths. */
export function apiReference(): Record<string, string> {
  const pages = referencePages(declaredOpenApi());
  return Object.fromEntries(Object.entries(pages).map(([page, text]) => [page, regenerated(text)]));
}

/** The page with every generated part brought up to date. An unknown part is an error. */
export function regenerated(page: string): string {
  return page.replaceAll(/(<!-- generated: (.+?) -->\n)[\s\S]*?(<!-- end -->)/g, (_all, begin, name, end) => {
    const part = parts()[name];
    if (part === undefined) throw new Error(`There is no generator for "${name}".`);
    return `${begin}\n${part()}\n\n${end}`;
  });
}

function parts(): Record<string, () => string> {
  const requests = allRoutes.map((route) => [`request ${route.method} ${route.path}`, () => requestTable(route)]);
  const shapes = Object.entries(resources).map(([name, shape]) => [`resource ${name}`, () => shapeTable(shape)]);
  return {
    settings: settingsTable,
    ...Object.fromEntries(apiPages().map(({ group, routes }) => [`endpoints ${group}`, () => endpointsTable(routes)])),
    'api pages': apiPagesTable,
    modules: modulesTable,
    metrics: metricsTable,
    ...paymentTables,
    ...providerTables,
    ...ledgerTables,
    ...invoiceTables,
    ...subscriptionTables,
    roles: rolesTable,
    'event types': eventTypesTable,
    'audit actions': auditActionsTable,
    rules: rulesTable,
    'sandbox behaviours': sandboxTable,
    'sandbox method words': sandboxMethodTable,
    ...Object.fromEntries([...requests, ...shapes]),
  };
}

/** Quotes of Markdown's own signs would change the sentences. */
function rulesTable(): string {
  return table(
    ['Rule', 'Sentence'],
    Object.entries(rules).map(([name, sentence]) => [`\`${name}\``, sentence.replaceAll(/[|*_<]/g, '\\$&')]),
  );
}

const resources: Readonly<Record<string, TSchema>> = Object.assign(
  {},
  ...modules.map(({ resources = {} }) => resources),
);

function auditActionsTable(): string {
  return table(
    ['Action', 'Meaning'],
    Object.entries(auditActions).map(([action, meaning]) => [`\`${action}\``, meaning]),
  );
}

function settingsTable(): string {
  return table(
    ['Name', 'In the environment', 'Kind', 'Default', 'What it does'],
    Object.entries(settings).map(([name, { kind, description, ...setting }]) => [
      `\`${name}\``,
      `\`${environmentName(name)}\``,
      kind.name,
      'default' in setting ? `\`${setting.default}\`` : '–',
      description,
    ]),
  );
}

/** The groups of the API that have a page of their own, with their routes. */
export function apiPages(): { group: string; description: string; page: string; routes: Route[] }[] {
  return groups
    .map(({ name, description }) => ({
      group: name,
      description,
      page: `${name.toLowerCase().replaceAll(' ', '-')}.md`,
      routes: allRoutes.filter(({ group }) => group === name),
    }))
    .filter((page) => page.routes.length > 0);
}

function apiPagesTable(): string {
  return table(
    ['Page', 'Endpoints'],
    apiPages().map(({ group, description, page, routes }) => [
      `[${group}](${page}): ${description}`,
      routes.map(({ method, path }) => `[${method} ${path}](${page}#${anchorOf(method, path)})`).join('<br>'),
    ]),
  );
}

/** The modules in their order, with the first paragraph that documents each in its `module.ts`. */
function modulesTable(): string {
  const domains = join(root, 'server/src/domains');
  const groupOf = new Map(
    readdirSync(domains).flatMap((group) => readdirSync(join(domains, group)).map((name) => [name, group] as const)),
  );
  return table(
    ['Group', 'Module', 'Purpose', 'Tables'],
    modules.map(({ name, tables }) => {
      // What belongs to no domain is in `app/`.
      const group = groupOf.get(name) ?? 'app';
      const folder = group === 'app' ? join(root, 'server/src/app') : join(domains, group);
      const text = readFileSync(join(folder, name, 'module.ts'), 'utf8');
      const [, purpose = ''] = /\/\*\*([^*]*(?:\*(?!\/)[^*]*)*)\*\/\nexport const \w+ = \{/.exec(text) ?? [];
      return [
        group,
        `\`${name}\``,
        (purpose.split('\n *\n')[0] ?? '').replaceAll(/\s*\n \* ?/g, ' ').trim(),
        tables.map((one) => `\`${one}\``).join(', ') || '–',
      ];
    }),
  );
}

function endpointsTable(routes: readonly Route[]): string {
  return table(
    ['Endpoint', 'Purpose', 'Needs'],
    routes.map(({ method, path, needs, endpoint: { summary } }) => [
      `[${method} ${path}](#${anchorOf(method, path)})`,
      summary,
      needText(needs),
    ]),
  );
}

/** The anchor of a heading such as `## POST /api/user/login`. */
export function anchorOf(method: string, path: string): string {
  return `${method} ${path}`.toLowerCase().replaceAll(/[/{}]/g, '').replaceAll(' ', '-');
}

function needText(needs: Need): string {
  if (needs === 'nothing') return 'nothing';
  if (needs === 'session' || needs === 'enrolment' || needs === 'token') return 'Bearer only';
  if (needs === 'visitor') return 'nothing; Bearer says who asks';
  if (needs === 'key') return 'ApiKey only';
  if (needs === 'caller') return 'Bearer or ApiKey; the read scope of every event type concerned';
  if (typeof needs !== 'string') {
    return `${needText(needs.needs)}; user type ${needs.userTypes.map((type) => `\`${type}\``).join(' or ')}`;
  }
  if (needs === 'webhook_read' || needs === 'webhook_write')
    return `scope \`${needs}\`; the read scope of every event type concerned`;
  return `scope \`${needs}\``;
}

function rolesTable(): string {
  return table(
    ['Role', 'Scopes'],
    Object.entries(roles).map(([role, scopes]) => [`\`${role}\``, scopes.map((scope) => `\`${scope}\``).join(', ')]),
  );
}

function eventTypesTable(): string {
  return table(
    ['Event type', 'Scope needed to receive it'],
    Object.entries(scopeOfEventType).map(([type, scope]) => [`\`${type}\``, `\`${scope}\``]),
  );
}

function sandboxMethodTable(): string {
  return table(
    ['Word', 'What happens'],
    methodWords.map(({ word, description }) => [`\`${word}\``, description]),
  );
}

function sandboxTable(): string {
  return table(
    ['`metadata.sandbox`', 'Amount', 'What happens'],
    behaviours.map(({ word, amount, description }) => [
      `\`${word}\``,
      amount === null ? 'any other' : String(amount),
      description,
    ]),
  );
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  answerHelp(`Usage: npm run docs

Writes what is derived from the code: the lists of event types, errors and audit actions, the tables between marks in
docs/, the generated part of the SDK, the choices of the console, and the settings that values of the chart may have.
`);
  const lists = Object.entries(declaredNameFiles()).map(([file, after]) => write(file, after));
  // The code that is loaded has the lists as they were.
  if (lists.includes('updated')) {
    execFileSync(process.execPath, process.argv.slice(1), { stdio: 'inherit' });
    process.exit();
  }
  for (const [file, after] of Object.entries(sdkFiles())) write(file, after);
  write('console/src/api/choices.ts', choicesFile());
  for (const [page, text] of Object.entries(apiReference())) write(page, text);
  write(valuesSchema, valuesSchemaFile(root));
  write('docs/llms.txt', llmsIndex());
  for (const page of generatedPages) {
    write(page, regenerated(readFileSync(join(root, page), 'utf8')));
  }
}

function write(page: string, after: string): 'unchanged' | 'updated' {
  const file = join(root, page);
  const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === after;
  if (!isCurrent) writeFileSync(file, after);
  const outcome = isCurrent ? 'unchanged' : 'updated';
  console.log(`${page}: ${outcome}`);
  return outcome;
}
