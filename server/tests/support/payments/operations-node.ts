import { type Clock, dayMs, hourMs } from '../../../src/core/clock.ts';
import { uuidGenerator, uuidOfPublicId } from '../../../src/core/id.ts';
import type { Principal } from '../../../src/core/principal.ts';
import type { PaymentsApp } from '../../../src/domains/payments/app.ts';
import { ChannelCredentials } from '../../../src/domains/payments/channels/credentials.ts';
import { ChannelDirectory } from '../../../src/domains/payments/channels/directory.ts';
import { OperatorWarnings } from '../../../src/domains/payments/channels/operator-warnings.ts';
import { ChargeMethods } from '../../../src/domains/payments/methods/charges.ts';
import { RegisteredMethodCustomers } from '../../../src/domains/payments/methods/customers.ts';
import { operationsDue } from '../../../src/domains/payments/operation-queue/open.cte.ts';
import type { ChannelPace } from '../../../src/domains/payments/operations/channel-pace.ts';
import { Dispatcher } from '../../../src/domains/payments/operations/dispatcher.ts';
import { Settler } from '../../../src/domains/payments/operations/settle.ts';
import { findOfPayment, type OperationRow } from '../../../src/domains/payments/operations/statements.ts';
import type { Providers } from '../../../src/domains/payments/providers/directory.ts';
import type { Absent, Outcome } from '../../../src/domains/payments/providers/outcome.ts';
import type { Operation, Provider } from '../../../src/domains/payments/providers/provider.ts';
import { createRefund, type RefundInput } from '../../../src/domains/payments/refunds/create.ts';
import { createPayment } from '../../../src/domains/payments/transactions/create.ts';
import type { CreateInput } from '../../../src/domains/payments/transactions/schema.ts';
import { updatePayment } from '../../../src/domains/payments/transactions/update.ts';
import { FanOut } from '../../../src/domains/webhooks/events/fan-out.ts';
import type { Call } from '../../../src/platform/http/route.ts';
import type { Worker } from '../../../src/platform/jobs/worker.ts';
import { Caches } from '../../../src/platform/postgres/caches.ts';
import { Database, type Transactional } from '../../../src/platform/postgres/database.ts';
import { type FailPoint, noFailPoint } from '../../../src/platform/process/fail-point.ts';
import { paymentsWithInvoices } from '../billing/invoice-payments.ts';
import { busOn } from '../postgres/bus.ts';
import type { TestDatabase } from '../postgres/database.ts';
import { plainSecrets } from './payments.ts';

type Answer = Outcome | Absent | Promise<Outcome | Absent>;

/** A provider with scripted answers that records its requests. */
export class ScriptedProvider implements Provider {
  readonly requests: { verb: string; operation: Operation }[] = [];
  answer: (verb: string, operation: Operation) => Answer = (_verb, { key }) => ({
    kind: 'succeeded',
    reference: `ref-${key}`,
  });

  readonly #answer = async (verb: string, operation: Operation): Promise<never> => {
    this.requests.push({ verb, operation });
    return (await this.answer(verb, operation)) as never;
  };

  readonly charge = (operation: Operation) => this.#answer('charge', operation);
  readonly refund = (operation: Operation) => this.#answer('refund', operation);
  readonly cancel = (operation: Operation) => this.#answer('cancel', operation);
  readonly lookUp = (operation: Operation) => this.#answer('look_up', operation);
  readonly readCallback = () => {
    throw new Error('The scripted provider sends no callbacks.');
  };

  verbs(): string[] {
    return this.requests.map(({ verb }) => verb);
  }
}

export interface OperationsNodeOptions {
  clock?: Clock;
  provider?: ScriptedProvider;
  failPoint?: FailPoint;
  timeoutMs?: number;
  rateLimitWaitMs?: number;
  payerTimeoutMs?: number;
  callsPerSecond?: number;
  /** Wraps the database of the dispatcher, for example to lose responses. */
  wrapDatabase?: (database: Transactional) => Transactional;
}

/**
 * The services of one node that create, process, refund and update payments, without HTTP. Two of them are two nodes.
 */
export async function operationsNode(
  { connection, database }: TestDatabase,
  {
    clock = Date.now,
    provider = new ScriptedProvider(),
    failPoint = noFailPoint,
    timeoutMs = 5_000,
    rateLimitWaitMs = hourMs,
    payerTimeoutMs = dayMs,
    callsPerSecond,
    wrapDatabase = (database) => database,
  }: OperationsNodeOptions = {},
) {
  const bus = busOn({ connection, database });
  const caches = new Caches(bus);
  const secrets = { open: (sealed: Buffer) => sealed.toString(), isLost: () => false };
  const channels = new ChannelDirectory(database, caches, secrets);
  await bus.start();
  const pools: Database[] = [];
  bus.subscribe(operationsDue, () => dispatcher.wake());
  const pool = (name: string, connections: number, plans?: 'indexed') => {
    const opened = new Database({ connection, connections, name, onCommitted: bus.committed, ...(plans && { plans }) });
    pools.push(opened);
    return opened;
  };
  const generateUuid = uuidGenerator(clock);
  const errors: unknown[] = [];
  const discrepancies: string[] = [];
  const warnings: object[] = [];
  const { payments, invoicePayments } = paymentsWithInvoices({
    writer: pool('test writer', 1),
    database,
    channels,
    generateUuid,
    fanOut: new FanOut(),
    ...plainSecrets,
  });
  const working = pool('test processing', 4, 'indexed');
  const credentials = new ChannelCredentials(database, caches, secrets);
  const chargeMethods = new ChargeMethods({
    database: working,
    credentials,
    clock,
    generateUuid,
    methodCustomers: new RegisteredMethodCustomers(),
    seal: plainSecrets.seal,
  });
  const settler = new Settler({
    database: working,
    chargeMethods,
    channels,
    payments,
    clock,
    generateUuid,
    onDiscrepancy: (row, outcome) => discrepancies.push(`${row.state} ${outcome.kind}`),
    operatorWarnings: new OperatorWarnings({
      channels,
      clock,
      log: { warn: (facts: object) => warnings.push(facts) } as never,
      onFailure: () => {},
    }),
  });
  const { worker: dispatcher, pace }: { worker: Worker<OperationRow>; pace: ChannelPace } = new Dispatcher({
    database: wrapDatabase(working),
    payments,
    providers: { of: async () => provider } as unknown as Providers,
    channels,
    credentials,
    invoicePayments,
    chargeMethods,
    settler,
    clock,
    generateUuid,
    publicUrl: 'http://127.0.0.1:8080',
    timeoutMs,
    rateLimitWaitMs,
    payerTimeoutMs,
    callsPerSecond,
    failPoint,
    onError: (error) => errors.push(error),
  });
  const services = { payments, channels, invoicePayments, generateUuid, clock, ...plainSecrets };
  const app = { ...services, database: pool('test requests', 4) } as Partial<PaymentsApp> as PaymentsApp;
  const operationsOf = (tenantId: number, id: string): Promise<OperationRow[]> =>
    database.run(findOfPayment, [tenantId, uuidOfPublicId('txn', id)]);
  return {
    provider,
    payments,
    dispatcher,
    pace,
    settler,
    generateUuid,
    database,
    errors,
    discrepancies,
    warnings,
    channels,
    credentials,
    chargeMethods,
    operationsOf,
    create: async (body: CreateInput, principal: Principal): Promise<string> =>
      (await createPayment({ body, principal, idempotencyKey: undefined }, app)).answer.id,
    update: async (input: Parameters<typeof updatePayment>[0], principal: Principal) =>
      (await updatePayment(input, principal, app)).answer,
    refund: async (body: RefundInput, principal: Principal) =>
      (await createRefund({ body, principal } as Call<RefundInput>, app)).answer,
    find: (id: string, principal: Principal) => payments.find(id, principal),
    stop: async () => {
      await dispatcher.stop();
      await bus.stop();
      await Promise.all(pools.map((opened) => opened.close()));
    },
  };
}
