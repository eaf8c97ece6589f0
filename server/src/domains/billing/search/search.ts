import type { Static } from 'typebox';
import { secondMs } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import { publicId } from '../../../core/id.ts';
import { visibleModes } from '../../../core/livemode.ts';
import { holds } from '../../../core/principal.ts';
import type { Scope } from '../../../core/scopes.ts';
import type { Call } from '../../../platform/http/route.ts';
import { failureOf } from '../../../platform/postgres/connection/failures.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { listedTenants } from '../../identity/tenants/visible-tenants.ts';
import type { BillingApp } from '../app.ts';
import { numberText } from '../invoices/number.ts';
import { numberOfEntry } from './entry-id.ts';
import type { searchQuery, searchResult } from './schema.ts';
import {
  type FoundRow,
  findAmongNewest,
  findByTokens,
  limitStatements,
  showCustomers,
  showInvoices,
  showPayments,
  showSubscriptions,
} from './statements.ts';
import { type Reading, readingsOfQuery, type SearchKind, searchKinds, tokensOf } from './words.ts';

type Result = Static<typeof searchResult>;

const limitMs = secondMs;
const maxFound = 20;
/** Newest entries that are read before the index is. */
const newestRead = 2_000;

const scopes: Record<SearchKind, Scope> = {
  payment: 'transaction_read',
  customer: 'transaction_read',
  invoice: 'invoice_read',
  subscription: 'subscription_read',
};

/** What the query finds of each kind that the caller may read. Ends after a second, with what was found until then. */
export async function search(
  { query, principal }: Pick<Call<unknown, Static<typeof searchQuery>>, 'query' | 'principal'>,
  app: Pick<BillingApp, 'database' | 'listDatabase' | 'searchTurns'>,
): Promise<Result> {
  const kinds = searchKinds.filter((kind) => holds(principal, scopes[kind]));
  const readings = readingsOfQuery(query.q);
  const tenantIds = await listedTenants(app.listDatabase, principal, query.tenantId);
  const [livemode] = visibleModes(principal, query.livemode) as [boolean];
  const found: Found = { payment: [], customer: [], invoice: [], subscription: [] };
  const untilMs = performance.now() + limitMs;
  const isComplete = await app.searchTurns.run(String(principal.tenantId), () =>
    find({ kinds, readings, tenantIds, livemode, untilMs }, found, app),
  );
  return { ...(await shown(found, kinds, app.database)), complete: isComplete ?? false };
}

type Found = Record<SearchKind, FoundRow[]>;

interface Sought {
  kinds: readonly SearchKind[];
  readings: readonly Reading[];
  tenantIds: readonly number[];
  livemode: boolean;
  /** By performance.now(). */
  untilMs: number;
}

/** Adds to `found`. Whether everything was searched in time. */
async function find(sought: Sought, found: Found, { database }: Pick<BillingApp, 'database'>): Promise<boolean> {
  try {
    await database.snapshot(async (snapshot) => {
      for (const kind of sought.kinds) {
        for (const reading of sought.readings) await findReading(snapshot, kind, reading, sought, found);
      }
    });
    return true;
  } catch (error) {
    if (error === outOfTime || isCancelled(error)) return false;
    throw error;
  }
}

const outOfTime = new Error('The time of a search is over.');

/** The database has ended a statement. */
const isCancelled = (error: unknown) =>
  error instanceof Refusal &&
  (error.cause as { code?: unknown } | undefined)?.code === '57014' &&
  failureOf(error.cause) === 'busy';

async function findReading(
  snapshot: Queryable,
  kind: SearchKind,
  { keys, patterns, anyOf }: Reading,
  { tenantIds, livemode, untilMs }: Sought,
  found: Found,
): Promise<void> {
  const values = [tenantIds, livemode, kind, patterns];
  const limited = async <Row>(run: () => Promise<Row>): Promise<Row> => {
    const leftMs = Math.floor(untilMs - performance.now());
    if (leftMs <= 0) throw outOfTime;
    await snapshot.run(limitStatements, [String(leftMs)]);
    return run();
  };
  const add = (rows: readonly FoundRow[]) => {
    const known = new Map([...found[kind], ...rows].map((row) => [`${row.tenant_id}/${row.id}`, row]));
    found[kind] = [...known.values()].sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, maxFound);
  };
  const read = Math.ceil(newestRead / Math.max(1, tenantIds.length));
  const newest = await limited(() => snapshot.run(findAmongNewest, [...values, read, maxFound, anyOf]));
  add(newest);
  // With several tenants, older entries of one may be newer than those of another.
  if (newest.length === maxFound && tenantIds.length === 1) return;
  const tokens = tenantIds.map((tenantId) => `{${tokensOf(keys, { tenantId, livemode, kind }).join(',')}}`);
  add(await limited(() => snapshot.run(findByTokens, [...values, tokens, maxFound, anyOf])));
}

async function shown(
  found: Found,
  kinds: readonly SearchKind[],
  database: Queryable,
): Promise<Omit<Result, 'complete'>> {
  const result: Omit<Result, 'complete'> = {};
  const tenantsOf = (kind: SearchKind) => found[kind].map(({ tenant_id }) => tenant_id);
  const numbersOf = (kind: SearchKind) => found[kind].map(({ id }) => numberOfEntry(id));
  const uuids = found.payment.map(({ id }) => id);
  for (const kind of kinds) {
    if (kind === 'payment') {
      result.payments = (await database.run(showPayments, [tenantsOf(kind), uuids])).map((row) => ({
        id: publicId('txn', row.id),
        amount: row.amount,
        currency: row.currency,
        status: row.status,
        amountCaptured: row.amount_captured,
        amountRefunded: row.amount_refunded,
        description: row.description,
        customerName: row.customer_name,
        createdTime: row.created_at,
      }));
    } else if (kind === 'customer') {
      result.customers = (await database.run(showCustomers, [tenantsOf(kind), numbersOf(kind)])).map((row) => ({
        id: row.id,
        name: row.name,
        email: row.email,
        createdTime: row.created_at,
      }));
    } else if (kind === 'invoice') {
      result.invoices = (await database.run(showInvoices, [tenantsOf(kind), numbersOf(kind)])).map((row) => ({
        id: row.id,
        number: row.number === null ? null : numberText(row.number, row.series),
        total: row.total,
        currency: row.currency,
        status: row.status,
        customerName: row.customer_name,
        createdTime: row.created_at,
      }));
    } else {
      result.subscriptions = (await database.run(showSubscriptions, [tenantsOf(kind), numbersOf(kind)])).map((row) => ({
        id: row.id,
        state: row.state,
        planName: row.plan_name,
        customerName: row.customer_name,
        createdTime: row.created_at,
      }));
    }
  }
  return result;
}
