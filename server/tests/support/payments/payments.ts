import type { Clock } from '../../../src/core/clock.ts';
import { uuidGenerator } from '../../../src/core/id.ts';
import type { ListPagination } from '../../../src/core/page.ts';
import type { Principal } from '../../../src/core/principal.ts';
import { scopes, type UserType } from '../../../src/core/scopes.ts';
import { appendAuditEntries, systemActor } from '../../../src/domains/identity/audit/append.ts';
import { ChannelDirectory } from '../../../src/domains/payments/channels/directory.ts';
import { RegisteredMethodCustomers } from '../../../src/domains/payments/methods/customers.ts';
import type { Providers } from '../../../src/domains/payments/providers/directory.ts';
import { createPayment } from '../../../src/domains/payments/transactions/create.ts';
import { listedAs, transactionList } from '../../../src/domains/payments/transactions/list/list.ts';
import type { CreateInput } from '../../../src/domains/payments/transactions/schema.ts';
import { updatePayment } from '../../../src/domains/payments/transactions/update.ts';
import { FanOut } from '../../../src/domains/webhooks/events/fan-out.ts';
import { type ListDeps, pageOf } from '../../../src/platform/lists/list.ts';
import { Caches } from '../../../src/platform/postgres/caches.ts';
import { Database } from '../../../src/platform/postgres/database.ts';
import { paymentsWithInvoices } from '../billing/invoice-payments.ts';
import { busOn } from '../postgres/bus.ts';
import type { TestDatabase } from '../postgres/database.ts';

/** The payment services of one node on a test database, without HTTP. Two of them are two nodes. */
export async function paymentsNode({ connection, database }: TestDatabase, clock: Clock = Date.now) {
  const bus = busOn({ connection, database });
  const channels = new ChannelDirectory(database, new Caches(bus), { open: String, isLost: () => false });
  await bus.start();
  const writer = new Database({ connection, connections: 1, name: 'test writer' });
  const generateUuid = uuidGenerator(clock);
  const batchSizes: number[] = [];
  /** The ids of the payments that metrics and traces have been told of. */
  const counted = { created: [] as string[], transitioned: [] as string[] };
  const { payments, invoicePayments, followers, settling } = paymentsWithInvoices({
    writer,
    database,
    channels,
    generateUuid,
    fanOut: new FanOut(),
    ...plainSecrets,
    observeBatch: (size) => batchSizes.push(size),
    onCreated: ({ id }) => counted.created.push(id),
    onTransition: ({ row }) => counted.transitioned.push(row.id),
  });
  const app = {
    ...{ database, payments, channels, invoicePayments, generateUuid, clock, ...plainSecrets },
    methodCustomers: new RegisteredMethodCustomers(),
    // Only payments that keep a payment method ask for providers.
    providers: {} as Providers,
  };
  return {
    payments,
    batchSizes,
    counted,
    channels,
    generateUuid,
    invoicePayments,
    followers,
    settling,
    create: (body: CreateInput, principal: Principal, idempotencyKey?: string) =>
      createPayment({ body, principal, idempotencyKey }, app),
    update: async (input: Parameters<typeof updatePayment>[0], principal: Principal) =>
      (await updatePayment(input, principal, app)).answer,
    updateOnce: (input: Parameters<typeof updatePayment>[0], principal: Principal, key: string) =>
      updatePayment(input, principal, app, { idempotencyKey: key }),
    stop: async () => {
      await bus.stop();
      await writer.close();
    },
  };
}

/** Nothing is sealed. */
export const plainSecrets = { open: String, seal: (plain: string | Buffer) => Buffer.from(plain as string) };

/** One page of the list of payments, as its route answers it. */
export async function listTransactions(
  deps: ListDeps,
  query: Parameters<typeof transactionList>[1],
  principal: Principal,
  bucketSize?: number,
): Promise<{ data: ReturnType<ReturnType<typeof listedAs>>[]; pagination: ListPagination }> {
  const { rows, pagination } = await pageOf(await transactionList(deps, query, principal, bucketSize), query);
  return { data: rows.map(listedAs(query, principal)), pagination };
}

export function principalOf(tenantId: number, userId: number, userType: UserType = 'MERCHANT_ADMIN'): Principal {
  return {
    by: 'key',
    userId,
    userName: `user${userId}`,
    userType,
    tenantId,
    roles: [],
    scopes: new Set(scopes),
    holdsAll: false,
  };
}

/**
 * Tenants 1 and 2; for each tenant, and the platform's 0, a channel `10 + tenant` for USD and JPY; for 1 also 21, and
 * 31, switched off.
 */
export async function arrangeChannels({ query, database }: TestDatabase): Promise<void> {
  await query(`insert into tenant (id, name) values (1, 'One'), (2, 'Two')`);
  const created = [1, 2].map((tenantId) => ({ action: 'tenant.create', tenantId, recordId: tenantId }) as const);
  await appendAuditEntries(
    database,
    created.map((change) => [systemActor, change]),
  );
  await query(`insert into channel (tenant_id, id, name, code, type, currencies, country, state) values
    (0, 10, 'Platform cards', 'cards', 'ONLINE', '{USD,JPY}', 'US', true),
    (1, 11, 'Cards of One', 'cards', 'ONLINE', '{USD,JPY}', 'US', true),
    (1, 21, 'Wire of One', 'wire', 'OFFLINE', '{USD}', 'US', true),
    (1, 31, 'Off of One', 'off', 'OFFLINE', '{USD}', 'US', false),
    (2, 12, 'Cards of Two', 'cards', 'ONLINE', '{USD,JPY}', 'US', true)`);
}
