import { FlorinError } from '../../../sdk/src/index.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { CommandFailure, usageFailure } from '../failures.ts';
import { wholeNumber } from './account.ts';

const paymentColumns = ['id', 'status', 'amount', 'currency', 'channelName', 'createdTime', 'description'];
const refundColumns = ['id', 'status', 'amount', 'currency', 'transactionId', 'createdTime'];

export const addPaymentCommands: AddCommands = (program, run) => {
  const payments = program.command('payments').description('payments');
  payments
    .command('create')
    .description('create a payment')
    .requiredOption('--amount <minor units>', '1099 is 10.99')
    .option('--currency <code>', 'ISO 4217', 'USD')
    .option('--channel <id or code>', 'needed unless there is only one')
    .option('--description <text>', 'shown in lists')
    .option('--customer <id>', 'who pays')
    .option('--metadata <name=value>', 'may be repeated', collect, [])
    .option('--idempotency-key <key>', 'the same key never creates a second payment')
    .option('--manual-capture', 'only authorize it; florin payments capture takes the money')
    .option('--wait', 'wait until it is decided; exit code 1 if it did not succeed')
    .action(run(createPayment));
  payments
    .command('get')
    .description('show a payment')
    .argument('<id>')
    .action(run(async ({ florin, out }: Cli, id: string) => out.record(await florin.transactions.get(id))));
  payments
    .command('list')
    .description('list payments, newest first')
    .option('--status <status>', 'PENDING, PROCESSING, SUCCESS, FAILED, REFUNDED or CANCELLED')
    .option('--channel <id or code>', 'only this channel')
    .option('--from <day>', 'YYYY-MM-DD')
    .option('--to <day>', 'YYYY-MM-DD')
    .option('--limit <number>', 'maximum number', '20')
    .action(run(listPayments));
  payments
    .command('watch')
    .description('print each status of a payment until it is decided; exit code 1 if it did not succeed')
    .argument('<id>')
    .action(run(watchPayment));

  payments
    .command('capture')
    .description('capture an authorized payment')
    .argument('<id>')
    .option('--amount <minor units>', 'by default all that can be captured')
    .option('--more-follows', 'further captures follow; by default the rest is released')
    .option('--idempotency-key <key>', 'the same key never creates a second capture')
    .action(run(capturePayment));
  payments
    .command('release')
    .description('release what was not captured of a payment')
    .argument('<id>')
    .action(run(async ({ florin, out }: Cli, id: string) => out.record(await florin.transactions.release(id))));

  const refunds = program.command('refunds').description('refunds');
  refunds
    .command('create')
    .description('refund a payment')
    .argument('<payment>')
    .option('--amount <minor units>', 'by default what is left of the payment')
    .option('--reason <text>', 'stored with the refund')
    .option('--idempotency-key <key>', 'the same key never creates a second refund')
    .action(run(createRefund));
  refunds
    .command('get')
    .description('show a refund')
    .argument('<id>')
    .action(run(async ({ florin, out }: Cli, id: string) => out.record(await florin.refunds.get(id))));
  refunds
    .command('list')
    .description('list refunds, newest first')
    .option('--payment <id>', 'only refunds of this payment')
    .option('--limit <number>', 'maximum number', '20')
    .action(run(listRefunds));
};

interface PaymentOptions {
  amount: string;
  currency: string;
  channel?: string;
  description?: string;
  customer?: string;
  metadata: string[];
  idempotencyKey?: string;
  manualCapture?: boolean;
  wait?: boolean;
}

async function createPayment(cli: Cli, options: PaymentOptions): Promise<void> {
  const { florin, out, signal } = cli;
  const metadata = options.metadata.length === 0 ? undefined : Object.fromEntries(options.metadata.map(pairOf));
  const input = {
    amount: wholeNumber(options.amount, '--amount'),
    currency: options.currency.toUpperCase(),
    channelId: await channelId(cli, options.channel),
    description: options.description,
    customerId: options.customer === undefined ? undefined : wholeNumber(options.customer, '--customer'),
    metadata,
    ...(options.manualCapture === true && { captureMethod: 'MANUAL' as const }),
  };
  const payment = await florin.transactions.create(input, { idempotencyKey: options.idempotencyKey, signal });
  if (options.wait !== true) return out.record(payment);
  const decided = await florin.transactions.waitFor(payment.id, { signal });
  out.record(decided);
  requireSuccess(decided);
}

interface CaptureOptions {
  amount?: string;
  moreFollows?: boolean;
  idempotencyKey?: string;
}

async function capturePayment({ florin, out }: Cli, id: string, options: CaptureOptions): Promise<void> {
  const amount = options.amount === undefined ? undefined : wholeNumber(options.amount, '--amount');
  const { moreFollows = false, idempotencyKey } = options;
  out.record(await florin.transactions.capture({ id, amount, final: !moreFollows }, { idempotencyKey }));
}

interface ListOptions {
  status?: 'PENDING';
  channel?: string;
  from?: string;
  to?: string;
  limit: string;
}

async function listPayments(cli: Cli, { status, channel, from, to, limit }: ListOptions): Promise<void> {
  const { florin, out, mode } = cli;
  const filters = {
    status,
    channelId: channel === undefined ? undefined : await channelId(cli, channel),
    startDate: from,
    endDate: to,
    pageSize: pageSizeFor(limit),
    ...mode,
  };
  await out.rows(first(florin.transactions.list(filters), limit), paymentColumns);
}

/** Prints each status once. */
async function watchPayment({ florin, out, signal }: Cli, id: string): Promise<void> {
  const seen = new Set<string>();
  const statuses = ['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED', 'CANCELLED', 'REFUNDED'];
  for (;;) {
    const until = statuses.filter((status) => !seen.has(status));
    const payment = await florin.transactions
      .waitFor(id, { until, waitMs: 600_000, signal })
      .catch((error: unknown) => {
        if (error instanceof FlorinError && error.type === 'wait_ended') return undefined;
        throw error;
      });
    if (payment === undefined) continue;
    seen.add(payment.status);
    out.row(payment, ['updatedTime', 'status', 'failureMessage']);
    if (payment.status !== 'PENDING' && payment.status !== 'PROCESSING') return requireSuccess(payment);
  }
}

function requireSuccess({
  id,
  status,
  failureMessage,
}: {
  id: string;
  status: string;
  failureMessage: string | null;
}): void {
  if (status === 'SUCCESS' || status === 'REFUNDED') return;
  throw new CommandFailure(`${id} ended as ${status}${failureMessage === null ? '.' : `: ${failureMessage}`}`);
}

interface RefundOptions {
  amount?: string;
  reason?: string;
  idempotencyKey?: string;
}

async function createRefund({ florin, out }: Cli, transactionId: string, options: RefundOptions): Promise<void> {
  const amount = options.amount === undefined ? undefined : wholeNumber(options.amount, '--amount');
  const { reason, idempotencyKey } = options;
  out.record(await florin.refunds.create({ transactionId, amount, reason }, { idempotencyKey }));
}

async function listRefunds(
  { florin, out, mode }: Cli,
  { payment, limit }: { payment?: string; limit: string },
): Promise<void> {
  await out.rows(
    first(florin.refunds.list({ transactionId: payment, pageSize: pageSizeFor(limit), ...mode }), limit),
    refundColumns,
  );
}

/** A channel by its id or code; the only one if none is named. */
async function channelId({ florin, mode }: Cli, wanted: string | undefined): Promise<number> {
  if (wanted !== undefined && /^\d+$/.test(wanted)) return Number(wanted);
  const channels = (await florin.channels.list(mode).toArray()).filter(({ state }) => state);
  const found = wanted === undefined ? channels : channels.filter(({ code }) => code === wanted);
  if (found.length === 1) return (found[0] as { id: number }).id;
  const known = channels.map(({ code }) => code).join(', ') || 'none; florin channels create creates one';
  throw usageFailure(
    `${wanted === undefined ? 'Name a channel with --channel' : `There is no channel ${wanted}`}. There are: ${known}.`,
  );
}

/** No more rows than are shown. */
export const pageSizeFor = (limit: string) => Math.max(1, Math.min(100, wholeNumber(limit, '--limit')));

export async function* first<Row>(rows: AsyncIterable<Row>, limit: string): AsyncGenerator<Row, void> {
  let left = wholeNumber(limit, '--limit');
  if (left === 0) return;
  for await (const row of rows) {
    yield row;
    if (--left === 0) return;
  }
}

const collect = (value: string, earlier: string[]) => [...earlier, value];

export function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usageFailure(`${text} is not of the form name=value.`);
}
