import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The rules of the house (docs/architecture.md), checked against the imports and statements as they stand:
 * - a file imports only from its own floor or a floor below;
 * - siblings in platform/ do not import each other;
 * - a domain imports only domains that stand earlier in the order;
 * - only a table's owner writes it;
 * - nothing imports in a circle; no module is left that nobody imports;
 * - nothing below app/ reads the clock for itself;
 * - nothing returns a value or a promise of it: the type-aware linter cannot see that such a promise is dropped.
 */
const floors = ['vocabulary', 'platform', 'domains', 'app'];

const domains = [
  'tenants',
  'users',
  'developer-keys',
  'connectors',
  'channels',
  'events',
  'webhooks',
  'deliveries',
  'inbox',
  'ledger',
  'clocks',
  'customers',
  'invoices',
  'transactions',
  'refunds',
  'processing',
  'callbacks',
  'plans',
  'subscriptions',
  'statistics',
];

const ownerOfTable: Record<string, string> = {
  tenant: 'tenants',
  app_user: 'users',
  login_name: 'users',
  session: 'users',
  password_reset: 'users',
  developer_key: 'developer-keys',
  channel: 'channels',
  event: 'events',
  // Written with the event, in the statement of the change itself; sent and settled by deliveries;
  // called off by webhooks, when their endpoint is removed.
  delivery: 'events webhooks deliveries',
  delivery_attempt: 'deliveries',
  delivery_sweep: 'deliveries',
  webhook_pace: 'deliveries',
  ledger_transfer: 'ledger',
  ledger_total: 'ledger',
  ledger_total_delta: 'ledger',
  // Opened with the payment, in the statement of the change itself; called and settled by processing.
  provider_operation: 'connectors processing',
  sandbox_operation: 'connectors',
  transaction_note: 'transactions',
  refund: 'refunds',
  provider_callback: 'callbacks',
  provider_dispute: 'processing',
  // Appended with the end of a charge, in the statement that settles it.
  charge_total_delta: 'processing statistics',
  charge_total: 'statistics',
  webhook_endpoint: 'webhooks',
  webhook_replay: 'deliveries',
  inbox: 'inbox',
  clock: 'clocks',
  customer: 'customers',
  invoice: 'invoices',
  invoice_counter: 'invoices',
  invoice_line: 'invoices',
  invoice_payment: 'invoices',
  inbox_message: 'inbox',
  plan: 'plans',
  subscription: 'subscriptions',
  subscription_period: 'subscriptions',
  subscription_line: 'subscriptions',
  subscription_charge: 'subscriptions',
  transaction: 'transactions',
  transaction_total: 'transactions',
  transaction_total_delta: 'transactions',
  transaction_slice: 'transactions',
  transaction_slice_total: 'transactions',
};

/** Started by name, imported by nobody. */
const entrances = ['app/main.ts', 'app/verify.ts'];

export interface Source {
  /** From server/src, with slashes. */
  path: string;
  text: string;
}

/** Every broken rule, as a line a person can act on. */
export function brokenRules(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
  return [
    ...sources.flatMap((source) => [
      ...brokenImports(source, graph),
      ...brokenWrites(source),
      ...clockReads(source),
      ...halfPromises(source),
    ]),
    ...circles(graph),
    ...leftovers(graph),
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

/** Drills are tests that take long, run by `npm run drills`. */
const isTest = (path: string) =>
  /\.(test|drill)\.ts$/.test(path) || path.startsWith('testing/') || path.includes('/fixture/');

function brokenImports({ path }: Source, graph: ReadonlyMap<string, string[]>): string[] {
  if (isTest(path)) return [];
  const [floor = '', room = ''] = path.split('/');
  if (!floors.includes(floor)) return [`${path}: ${floor}/ is not a floor; there are ${floors.join(', ')}.`];
  if (floor === 'domains' && !domains.includes(room)) {
    return [`${path}: the domain ${room} has no place in the order in tools/floors.ts.`];
  }
  return (graph.get(path) ?? []).flatMap((target) => {
    const [targetFloor = '', targetRoom = ''] = target.split('/');
    const line = `${path} imports ${target}`;
    if (isTest(target)) return [`${line}: only tests may import from tests.`];
    if (floors.indexOf(targetFloor) > floors.indexOf(floor))
      return [`${line}: a floor imports only from itself or below.`];
    if (floor === 'platform' && targetFloor === 'platform' && room !== targetRoom) {
      return [`${line}: tools of the platform do not know each other; pass it in.`];
    }
    if (floor === 'domains' && targetFloor === 'domains' && domains.indexOf(targetRoom) > domains.indexOf(room)) {
      return [`${line}: ${targetRoom} comes after ${room} in the order of domains.`];
    }
    return [];
  });
}

function brokenWrites({ path, text }: Source): string[] {
  if (isTest(path) || !path.startsWith('domains/')) return [];
  const domain = path.split('/')[1] as string;
  const writes = text.matchAll(/\b(?:insert into|update|delete from)\s+([a-z_]+)\b/g);
  return [...new Set([...writes].map(([, table]) => table as string))]
    .filter((table) => ownerOfTable[table] !== undefined && !ownerOfTable[table]?.split(' ').includes(domain))
    .map((table) => `${path} writes ${table}: only ${ownerOfTable[table]} may.`);
}

function clockReads({ path, text }: Source): string[] {
  if (isTest(path) || path.startsWith('app/') || path === 'vocabulary/clock.ts') return [];
  return /\bDate\.now\(|new Date\(\)/.test(text) ? [`${path} reads the clock: take a Clock as a parameter.`] : [];
}

/** One whose caller tests for the promise and lets it go ended the process when the database was away. */
function halfPromises({ path, text }: Source): string[] {
  if (isTest(path)) return [];
  return /\|\s*Promise<|\binstanceof Promise\b/.test(text)
    ? [`${path} has a value or a promise of it: offer a synchronous look at what is known and a promise beside it.`]
    : [];
}

function circles(graph: ReadonlyMap<string, string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      found.push(`a circle of imports: ${[...trail.slice(trail.indexOf(path)), path].join(' → ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return found;
}

function leftovers(graph: ReadonlyMap<string, string[]>): string[] {
  const imported = new Set([...graph].flatMap(([path, targets]) => (isTest(path) ? [] : targets)));
  return [...graph.keys()]
    .filter((path) => !isTest(path) && !imported.has(path) && !entrances.includes(path))
    .map((path) => `${path}: nothing imports it.`);
}

export function sourcesBelow(dir: string): Source[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(dir, file).split(sep).join('/'), text: readFileSync(file, 'utf8') }));
}

if (import.meta.url === pathToFileURL(resolve(process.argv[1] ?? '')).href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const broken = brokenRules(sourcesBelow(join(root, 'server', 'src')));
  for (const line of broken) console.error(line);
  console.log(broken.length === 0 ? 'floors: every rule holds' : `floors: ${broken.length} rules broken`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}
