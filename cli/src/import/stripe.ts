import { setTimeout as pause } from 'node:timers/promises';
import { type Florin, FlorinError } from '../../../sdk/src/index.ts';
import type { Cli } from '../cli.ts';
import { wholeNumber } from '../commands/account.ts';
import { pairOf } from '../commands/payments.ts';
import { usageFailure } from '../failures.ts';
import { csvRows, jsonRows, textOf } from './files.ts';
import {
  type CustomerRow,
  customerOfCsv,
  customerOfJson,
  type MethodRow,
  methodOf,
  neededCustomerColumns,
  neededSubscriptionColumns,
  type SubscriptionRow,
  subscriptionOf,
} from './stripe-rows.ts';
import { type Channel, judgeSubscription, type Plan, refusalsOfCustomer, refusalsOfMethod } from './stripe-rules.ts';

export interface StripeImportOptions {
  channel: string;
  customers?: string;
  methods?: string;
  subscriptions?: string;
  plan: string[];
  apply?: boolean;
}

/**
 * Takes over customers, payment methods and subscriptions from export files of Stripe. Stripe's ids are kept, so that a
 * repeat makes nothing twice and goes on where an earlier run ended. Without `apply` nothing is written.
 */
export async function importFromStripe(cli: Cli, options: StripeImportOptions): Promise<void> {
  const files = readFiles(options);
  const run = new ImportRun(cli, await targetOf(cli, options), options.apply === true);
  await run.customers(files.customers);
  await run.methods(files.methods);
  await run.subscriptions(files.subscriptions);
  run.summarize();
}

/** Reads all files before anything is asked or written. */
function readFiles({ customers, methods, subscriptions }: StripeImportOptions) {
  if (customers === undefined && methods === undefined && subscriptions === undefined) {
    throw usageFailure('Name at least one file: --customers, --methods or --subscriptions.');
  }
  return {
    customers: customers === undefined ? [] : customersIn(customers),
    methods: methods === undefined ? [] : jsonRows(methods, textOf(methods)).map(methodOf),
    subscriptions:
      subscriptions === undefined
        ? []
        : csvRows(subscriptions, textOf(subscriptions), neededSubscriptionColumns).map(subscriptionOf),
  };
}

function customersIn(file: string): CustomerRow[] {
  const text = textOf(file);
  return text.trimStart().startsWith('{')
    ? jsonRows(file, text).map(customerOfJson)
    : csvRows(file, text, neededCustomerColumns).map(customerOfCsv);
}

interface Target {
  channel: Channel;
  /** By the value of the column Plan. */
  plans: ReadonlyMap<string, Plan>;
}

async function targetOf({ florin }: Cli, options: StripeImportOptions): Promise<Target> {
  const channel = await florin.channels.get(wholeNumber(options.channel, '--channel'));
  if (channel.provider !== 'stripe') throw usageFailure(`--channel ${channel.id} is not a channel of Stripe.`);
  const plans = new Map<string, Plan>();
  for (const word of options.plan) {
    const [price, id] = pairOf(word);
    const plan = await florin.plans.get(wholeNumber(id, '--plan'));
    if (plan.livemode !== channel.livemode) {
      throw usageFailure(`--plan ${word}: plan ${id} and channel ${channel.id} are not both live or both test.`);
    }
    plans.set(price, plan);
  }
  return { channel, plans };
}

type Kind = 'customer' | 'method' | 'subscription';

/** What becomes of a row of a file, as it is printed. */
interface Result {
  kind: Kind;
  stripeId: string;
  line: number;
  /** KNOWN: it was taken over before. */
  result: 'NEW' | 'KNOWN' | 'REFUSED';
  /** The id here; null: there is none yet. */
  id: number | string | null;
  reason: string | null;
}

type Outcome = Pick<Result, 'result'> & Partial<Pick<Result, 'id' | 'reason'>>;
type Id = number | string;

const columns = ['kind', 'stripeId', 'result', 'id', 'reason'];

/** How long a payment method may take to be read at Stripe. */
const methodWaitMs = 120_000;
const methodPollMs = 250;
/** The field of a payment method's metadata with its id at Stripe. */
const methodIdField = 'stripe_payment_method';

class ImportRun {
  readonly #cli: Cli;
  readonly #channel: Channel;
  readonly #plans: ReadonlyMap<string, Plan>;
  readonly #isApplied: boolean;
  readonly #results: Result[] = [];
  /** The ids here of customers by their ids at Stripe. Null: it would be made; undefined: there is none. */
  readonly #customerIds = new Map<string, number | null | undefined>();
  /** The default methods that rows of customers name. */
  readonly #defaults = new Map<string, string>();
  readonly #withMethod = new Set<string>();

  constructor(cli: Cli, { channel, plans }: Target, isApplied: boolean) {
    this.#cli = cli;
    this.#channel = channel;
    this.#plans = plans;
    this.#isApplied = isApplied;
  }

  async customers(rows: readonly CustomerRow[]): Promise<void> {
    for (const row of once(rows)) {
      const { stripeId, defaultMethod } = row;
      if (defaultMethod !== null) this.#defaults.set(stripeId, defaultMethod);
      const refusals = [...refusalsOfCustomer(row), ...refusalOfRepeat(row)];
      if (refusals.length > 0) this.#print(row, 'customer', refused(refusals));
      else this.#print(row, 'customer', await this.#customer(row));
    }
  }

  async #customer(row: CustomerRow): Promise<Outcome> {
    const { stripeId, name, email, phone, metadata } = row;
    const known = await this.#customerId(stripeId);
    if (known != null) return { result: 'KNOWN', id: known };
    const input = { name, email, phone, metadata, externalId: stripeId };
    const made = await this.#make(() =>
      this.#florin.customers.modify({ ...input, defaultChannelId: this.#channel.id }, this.#options),
    );
    this.#customerIds.set(stripeId, made.result === 'REFUSED' ? undefined : ((made.id as number | undefined) ?? null));
    return made;
  }

  async methods(rows: readonly MethodRow[]): Promise<void> {
    const begun: [MethodRow, Outcome][] = [];
    for (const row of once(rows)) {
      const refusals = [...refusalsOfMethod(row, this.#channel), ...refusalOfRepeat(row)];
      refusals.push(...(await this.#refusalsOfCustomer(row.customer)));
      begun.push([row, refusals.length > 0 ? refused(refusals) : await this.#method(row)]);
    }
    // Together, because the service reads many at a time at Stripe.
    for (const [row, outcome] of begun) this.#print(row, 'method', await this.#read(outcome));
  }

  async #method({ stripeId, customer }: MethodRow): Promise<Outcome> {
    const customerReference = customer as string;
    const customerId = await this.#customerId(customerReference);
    const before = customerId == null ? [] : await this.#methodsOf(customerId, stripeId);
    const known = before.find(({ status }) => status !== 'FAILED');
    // Stripe lists the newest first.
    const isFirst = !this.#withMethod.has(customerReference);
    this.#withMethod.add(customerReference);
    if (known !== undefined) return { result: 'KNOWN', id: known.id };
    const named = this.#defaults.get(customerReference);
    const isDefault = named === undefined ? (isFirst ? undefined : false) : named === stripeId;
    const input = { channelId: this.#channel.id, token: stripeId, customerReference, isDefault };
    return this.#make(() =>
      this.#florin.paymentMethods.setup(
        { ...input, customerId: customerId as number, metadata: { [methodIdField]: stripeId } },
        { ...this.#options, idempotencyKey: `import-${this.#channel.id}-${stripeId}-${before.length}` },
      ),
    );
  }

  /** The methods of the customer that were taken over under this id. */
  async #methodsOf(customerId: number, stripeId: string) {
    const list = this.#florin.paymentMethods.list({ customerId, channelId: this.#channel.id }, this.#options);
    const all = await list.toArray();
    return all.filter(({ metadata }) => metadata?.[methodIdField] === stripeId);
  }

  /** Waits until the service has read a new method at Stripe. */
  async #read(outcome: Outcome): Promise<Outcome> {
    if (outcome.result !== 'NEW' || outcome.id === undefined) return outcome;
    const untilMs = Date.now() + methodWaitMs;
    for (;;) {
      const { status, failureCode } = await this.#florin.paymentMethods.get(outcome.id as string, this.#options);
      if (status === 'FAILED') return refused([`Stripe does not have it for this customer (${failureCode})`]);
      if (status !== 'PENDING') return outcome;
      if (Date.now() > untilMs) return { ...outcome, reason: 'it is still being read at Stripe' };
      await pause(methodPollMs, undefined, { signal: this.#cli.signal });
    }
  }

  async subscriptions(rows: readonly SubscriptionRow[]): Promise<void> {
    const counts = Map.groupBy(rows, ({ stripeId }) => stripeId);
    for (const row of rows) {
      const { stripeId, customer, plan } = row;
      const known = await this.#findSubscription(stripeId);
      if (known !== undefined) {
        this.#print(row, 'subscription', { result: 'KNOWN', id: known.id });
        continue;
      }
      const judged = judgeSubscription(row, this.#plans.get(plan), Date.now());
      const refusals = 'refusals' in judged ? judged.refusals : [];
      if ((counts.get(stripeId) as SubscriptionRow[]).length > 1) {
        refusals.push('the file has several rows of it: a subscription with several items');
      }
      refusals.push(...(await this.#refusalsOfCustomer(customer)));
      if ('refusals' in judged || refusals.length > 0) this.#print(row, 'subscription', refused(refusals));
      else this.#print(row, 'subscription', await this.#subscription(row, judged.terms));
    }
  }

  async #findSubscription(stripeId: string) {
    if (stripeId === '') return undefined;
    const { livemode } = this.#channel;
    const found = this.#florin.subscriptions.list({ externalId: stripeId, livemode, pageSize: 1 }, this.#options);
    const [subscription] = await found.toArray();
    return subscription;
  }

  async #subscription(
    { stripeId, customer, plan, metadata }: SubscriptionRow,
    terms: { quantity: number; startTime: string; billedUntil: string },
  ): Promise<Outcome> {
    const planId = (this.#plans.get(plan) as Plan).id;
    const customerId = await this.#customerId(customer);
    const made = await this.#make(() =>
      this.#florin.subscriptions.create(
        {
          ...{ ...terms, planId, metadata, externalId: stripeId },
          customerId: customerId as number,
          channelId: this.#channel.id,
        },
        this.#options,
      ),
    );
    if (made.result !== 'NEW' || (await this.#hasMethod(customer, customerId))) return made;
    return { ...made, reason: 'its customer has no payment method: renewals wait until the customer pays' };
  }

  async #hasMethod(customer: string, customerId: number | null | undefined): Promise<boolean> {
    if (this.#withMethod.has(customer)) return true;
    if (customerId == null) return false;
    return (await this.#florin.customers.get({ id: customerId }, this.#options)).defaultMethodId !== null;
  }

  async #refusalsOfCustomer(customer: string | null): Promise<string[]> {
    if (customer === null || (await this.#customerId(customer)) !== undefined) return [];
    return [`its customer ${customer || 'without an id'} was not taken over: neither in the file nor here`];
  }

  /** Asks the service once. */
  async #customerId(stripeId: string): Promise<number | null | undefined> {
    if (stripeId === '' || this.#customerIds.has(stripeId)) return this.#customerIds.get(stripeId);
    const { livemode } = this.#channel;
    const found = this.#florin.customers.list({ externalId: stripeId, livemode, pageSize: 1 }, this.#options);
    const [customer] = await found.toArray();
    this.#customerIds.set(stripeId, customer?.id);
    return customer?.id;
  }

  /** Makes a record, unless this is a dry run. What the service refuses of this row is a refusal of the row alone. */
  async #make(create: () => PromiseLike<{ id: Id }>): Promise<Outcome> {
    if (!this.#isApplied) return { result: 'NEW' };
    try {
      return { result: 'NEW', id: (await create()).id };
    } catch (error) {
      if (!(error instanceof FlorinError) || error.retryable || ![400, 404, 409].includes(error.status ?? 0))
        throw error;
      return refused([error.message]);
    }
  }

  #print({ stripeId, line }: { stripeId: string; line: number }, kind: Kind, outcome: Outcome): void {
    const result: Result = { kind, stripeId, line, id: null, reason: null, ...outcome };
    this.#results.push(result);
    this.#cli.out.row(result, columns);
  }

  summarize(): void {
    const { out } = this.#cli;
    const counts = (['customer', 'method', 'subscription'] as const).map((kind) => {
      const ofKind = this.#results.filter((one) => one.kind === kind);
      const count = (result: Result['result']) => ofKind.filter((one) => one.result === result).length;
      return `${kind}s: ${count('NEW')} new, ${count('KNOWN')} known, ${count('REFUSED')} refused`;
    });
    out.note(counts.join('; '));
    if (!this.#isApplied) out.note('This was a dry run: nothing was written. With --apply the new ones are made.');
  }

  get #florin(): Florin {
    return this.#cli.florin;
  }

  get #options(): { signal: AbortSignal } {
    return { signal: this.#cli.signal };
  }
}

const refused = (reasons: readonly string[]): Outcome => ({ result: 'REFUSED', reason: reasons.join('; ') });

type Repeated<Row> = Row & { isRepeated: boolean };

/** Marks the rows whose id an earlier row has. */
function once<Row extends { stripeId: string }>(rows: readonly Row[]): Repeated<Row>[] {
  const seen = new Set<string>();
  return rows.map((row) => {
    const isRepeated = seen.has(row.stripeId);
    seen.add(row.stripeId);
    return { ...row, isRepeated };
  });
}

const refusalOfRepeat = ({ isRepeated }: { isRepeated?: boolean }) =>
  isRepeated === true ? ['an earlier row of the file has the same id'] : [];
