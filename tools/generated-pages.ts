import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TSchema } from 'typebox';
import { environmentName, settings } from '../server/src/app/config/settings.ts';
import { llmsTxt } from '../server/src/app/docs/llms-txt.ts';
import { pages } from '../server/src/app/docs/pages.ts';
import { modules } from '../server/src/app/modules.ts';
import { declaredRoutes, groups } from '../server/src/app/routes.ts';
import { scopeOfEventType } from '../server/src/core/event-types.ts';
import { roles } from '../server/src/core/scopes.ts';
import { auditActions } from '../server/src/domains/identity/audit/actions.ts';
import { behaviours } from '../server/src/domains/payments/providers/sandbox/behaviours.ts';
import type { Need, Route } from '../server/src/platform/http/route.ts';
import type { AnyModule } from '../server/src/platform/module.ts';
import { invoiceTables } from './invoice-tables.ts';
import { ledgerTables } from './ledger-tables.ts';
import { table } from './markdown-table.ts';
import { metricsTable } from './metrics-table.ts';
import { paymentTables } from './payment-tables.ts';
import { sdkFiles } from './sdk/generate.ts';
import { subscriptionTables } from './subscription-tables.ts';
import { answerHelp } from './usage.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Pages with tables that are derived from the code: settings, endpoints, fields, transitions, scopes. Each table stands
 * between `<!-- generated: name -->` and `<!-- end -->`. `npm run docs` writes them; a test compares.
 */
export const generatedPages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((page) => `docs/${page}`)
  .filter((page) => page.endsWith('.md') && readFileSync(join(root, page), 'utf8').includes('<!-- generated: '))
  // Its examples contain markers.
  .filter((page) => page !== 'docs/recipes.md')
  .sort();

/** `docs/llms.txt`: the index that every node serves at /llms.txt, with links between files. */
export function llmsIndex(): string {
  return llmsTxt(pages(), groups, ({ file }) => relative('docs', file).replaceAll('\\', '/'));
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
  const requests = declaredRoutes().map((route) => [
    `request ${route.method} ${route.path}`,
    () => requestTable(route),
  ]);
  const shapes = Object.entries(resources).map(([name, shape]) => [`resource ${name}`, () => shapeTable(shape)]);
  return {
    settings: settingsTable,
    ...Object.fromEntries(apiPages().map(({ group, routes }) => [`endpoints ${group}`, () => endpointsTable(routes)])),
    'api pages': apiPagesTable,
    modules: modulesTable,
    metrics: metricsTable,
    ...paymentTables,
    ...ledgerTables,
    ...invoiceTables,
    ...subscriptionTables,
    roles: rolesTable,
    'event types': eventTypesTable,
    'audit actions': auditActionsTable,
    'sandbox behaviours': sandboxTable,
    ...Object.fromEntries([...requests, ...shapes]),
  };
}

const resources: Readonly<Record<string, TSchema>> = Object.assign(
  {},
  ...(modules as readonly AnyModule[]).map(({ resources = {} }) => resources),
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
  const routes = declaredRoutes();
  return groups
    .map(({ name, description }) => ({
      group: name,
      description,
      page: `${name.toLowerCase().replaceAll(' ', '-')}.md`,
      routes: routes.filter(({ group }) => group === name),
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
    (modules as readonly AnyModule[]).map(({ name, tables }) => {
      const group = groupOf.get(name) ?? '';
      const text = readFileSync(join(domains, group, name, 'module.ts'), 'utf8');
      const [, purpose = ''] = /\/\*\*([^*]*(?:\*(?!\/)[^*]*)*)\*\/\nexport const \w+ = defineModule/.exec(text) ?? [];
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
    ['Event type', 'Scope needed to be sent it'],
    Object.entries(scopeOfEventType).map(([type, scope]) => [`\`${type}\``, `\`${scope}\``]),
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

function requestTable({ endpoint }: Route): string {
  const { body, query, params, headers } = endpoint;
  const rows = [
    ...fieldsOf(params).map((field) => ({ ...field, name: `${field.name} (path)` })),
    ...fieldsOf(headers).map((field) => ({ ...field, name: `${headerName(field.name)} (header)` })),
    ...fieldsOf(query),
    ...fieldsOf(body),
  ];
  if (rows.length === 0) return 'No parameters.';
  return table(
    [query === undefined ? 'Field' : 'Query parameter', 'Type', 'Required', 'Meaning'],
    rows.map(({ name, shape, required }) => [
      `\`${name}\``.replace(/ \((header|path)\)`$/, '` ($1)'),
      typeOf(shape),
      shape.default !== undefined ? `no; default ${shape.default}` : required,
      meaningOf(shape),
    ]),
  );
}

function shapeTable(schema: TSchema): string {
  return table(
    ['Field', 'Type', 'Meaning'],
    fieldsOf(schema).map(({ name, shape }) => [`\`${name}\``, typeOf(shape), meaningOf(shape)]),
  );
}

/** The part of JSON Schema that the routes use. */
interface Shape {
  type?: string | string[];
  enum?: string[];
  const?: unknown;
  anyOf?: Shape[];
  items?: Shape;
  properties?: Record<string, Shape>;
  required?: string[];
  /** What a body needs that creates a record. */
  else?: { required?: string[] };
  default?: unknown;
  title?: string;
  description?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

interface Field {
  name: string;
  shape: Shape;
  required: 'yes' | 'no' | 'to create';
}

/** The fields of an object; fields of nested objects have dotted names. */
function fieldsOf(schema: TSchema | undefined, prefix = ''): Field[] {
  const shape = (schema ?? {}) as Shape;
  const object = shape.anyOf?.find((one) => one.properties !== undefined) ?? shape;
  return Object.entries(object.properties ?? {}).flatMap(([name, inner]) => {
    if (Object.keys(inner.properties ?? {}).length > 0) return fieldsOf(inner as TSchema, `${prefix}${name}.`);
    return [{ name: prefix + name, shape: inner, required: requiredOf(name, object) }];
  });
}

function requiredOf(name: string, object: Shape): Field['required'] {
  if (object.required?.includes(name)) return 'yes';
  return object.else?.required?.includes(name) ? 'to create' : 'no';
}

function typeOf(shape: Shape): string {
  if (shape.enum !== undefined || shape.const !== undefined) return 'string';
  if (shape.anyOf !== undefined) return [...new Set(shape.anyOf.map(typeOf))].join(' or ');
  if (shape.type === 'array') return `array of ${typeOf(shape.items ?? {})}`;
  return [shape.type ?? 'any'].flat().join(' or ');
}

/** A longer enumeration is explained in the text around the table. */
const wordsListed = 8;

function meaningOf(shape: Shape): string {
  const words = shape.enum ?? shape.items?.enum;
  const said = shape.description ?? '';
  const limits = [
    shape.const === undefined ? undefined : `Always \`${shape.const}\``,
    words === undefined || words.length > wordsListed
      ? undefined
      : `One of ${words.map((word) => `\`${word}\``).join(', ')}`,
    shape.title === undefined || shape.anyOf !== undefined || said.includes('YYYY') ? undefined : capital(shape.title),
    within(shape.minimum, shape.maximum, said, ''),
    shape.title === undefined ? within(shape.minLength, shape.maxLength, said, ' characters') : undefined,
    within(shape.minItems, words === undefined ? shape.maxItems : undefined, said, ' entries'),
  ];
  return [...limits.filter((limit) => limit !== undefined).map((limit) => `${limit}.`), said].filter(Boolean).join(' ');
}

function within(least: number | undefined, most: number | undefined, said: string, unit: string): string | undefined {
  const bounded = most !== undefined && most !== Number.MAX_SAFE_INTEGER;
  if (said.includes(String(most)) || (least === undefined && !bounded)) return undefined;
  if (!bounded) return `At least ${least}${least === 1 ? unit.replace('ies', 'y').replace(/s$/, '') : unit}`;
  return least === undefined || least === 0 ? `At most ${most}${unit}` : `${least} to ${most}${unit}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `idempotency-key` becomes `Idempotency-Key`. */
const headerName = (name: string) => name.split('-').map(capital).join('-');

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  answerHelp(`Usage: npm run docs

Writes what is derived from the code: the tables between marks in docs/, and the generated part of the SDK.
`);
  for (const [file, after] of Object.entries(sdkFiles())) write(file, after);
  write('docs/llms.txt', llmsIndex());
  for (const page of generatedPages) {
    write(page, regenerated(readFileSync(join(root, page), 'utf8')));
  }
}

function write(page: string, after: string): void {
  const file = join(root, page);
  const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === after;
  if (!isCurrent) writeFileSync(file, after);
  console.log(`${page}: ${isCurrent ? 'unchanged' : 'updated'}`);
}
