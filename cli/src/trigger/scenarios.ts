import type {
  Channel,
  Customer,
  Florin,
  Invoice,
  Subscription,
  Transaction,
  TransactionDetail,
} from '../../../sdk/src/index.ts';

/** What a scenario uses. Every record that it creates is a test record. */
interface Stage {
  florin: Florin;
  channel: Pick<Channel, 'id'>;
  /** Fields to set in the payment, invoice or subscription that it creates. */
  overrides: Record<string, unknown>;
  signal: AbortSignal;
}

/** Makes an event happen, and returns its `objectId`: the record that it is about. */
type Scenario = (stage: Stage) => Promise<string>;

/** How to make each event happen on a sandbox channel. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  'transaction.created': async (stage) => (await pay(stage)).id,
  'transaction.processing': async (stage) => (await pay(stage)).id,
  'transaction.succeeded': async (stage) => (await pay(stage)).id,
  'transaction.failed': async (stage) => (await pay(stage, 'decline:card_declined')).id,
  'transaction.cancelled': async (stage) => {
    const { id } = await pay(stage, 'pending');
    await stage.florin.transactions.waitFor(id, { until: 'PROCESSING', signal: stage.signal });
    return (await stage.florin.transactions.update({ id, status: 'CANCELLED' })).id;
  },
  'transaction.refunded': async (stage) => (await refund(stage, await paid(stage))).transactionId,
  'transaction.action_required': async (stage) => (await pay(stage, 'payer')).id,
  'transaction.authorized': async (stage) => (await pay(stage, 'authorize', { captureMethod: 'MANUAL' })).id,
  'transaction.captured': (stage) => capture(stage, 'authorize'),
  'transaction.capture_failed': (stage) => capture(stage, 'capture:fail'),
  'transaction.authorization_expiring': async (stage) =>
    (await pay(stage, 'authorize:expires', { captureMethod: 'MANUAL' })).id,
  'refund.created': async (stage) => (await refund(stage, await paid(stage))).id,
  'refund.succeeded': async (stage) => (await refund(stage, await paid(stage))).id,
  'refund.failed': async (stage) => (await refund(stage, await paid(stage, 'refund:fail'))).id,
  'customer.created': async (stage) => `cus_${(await makeCustomer(stage)).id}`,
  'customer.updated': async (stage) => {
    const { id, name } = await makeCustomer(stage);
    return `cus_${(await stage.florin.customers.modify({ id, name, phone: '+41000000000' })).id}`;
  },
  'invoice.created': async (stage) => `inv_${(await draftInvoice(stage)).id}`,
  'invoice.finalized': async (stage) => `inv_${(await finalInvoice(stage)).id}`,
  'invoice.voided': async (stage) => {
    const { id } = await finalInvoice(stage);
    return `inv_${(await stage.florin.invoices.void(id)).id}`;
  },
  'invoice.paid': (stage) => payInvoice(stage, 'sandbox:succeed'),
  'invoice.payment_failed': (stage) => payInvoice(stage, 'sandbox:decline:card_declined'),
  'subscription.created': async (stage) => `sub_${(await subscribe(stage)).id}`,
  'subscription.updated': async (stage) => {
    const { id } = await subscribe(stage);
    return `sub_${(await stage.florin.subscriptions.update({ id, quantity: 2 })).id}`;
  },
  'subscription.cancelled': async (stage) => {
    const { id } = await subscribe(stage);
    return `sub_${(await stage.florin.subscriptions.cancel({ id })).id}`;
  },
};

function pay(
  { florin, channel, overrides }: Stage,
  behaviour?: string,
  further: { captureMethod?: 'MANUAL' } = {},
): Promise<Transaction> {
  const { metadata, ...others } = overrides;
  const sandbox = behaviour === undefined ? {} : { sandbox: behaviour };
  return florin.transactions.create({
    amount: 2000,
    currency: 'USD',
    channelId: channel.id,
    description: 'Made by florin trigger',
    ...further,
    ...others,
    metadata: { ...sandbox, ...(metadata as object | undefined) },
  });
}

async function paid(stage: Stage, behaviour?: string): Promise<TransactionDetail> {
  const { id } = await pay(stage, behaviour);
  return stage.florin.transactions.waitFor(id, { signal: stage.signal });
}

/** Captures a payment as soon as it is authorized. */
async function capture(stage: Stage, behaviour: string): Promise<string> {
  const { id } = await pay(stage, behaviour, { captureMethod: 'MANUAL' });
  const { transactions } = stage.florin;
  for (;;) {
    const { amountCapturable, status } = await transactions.get(id);
    if (amountCapturable > 0 || (status !== 'PENDING' && status !== 'PROCESSING')) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await transactions.capture({ id });
  return id;
}

const refund = ({ florin }: Stage, { id }: TransactionDetail) => florin.refunds.create({ transactionId: id });

const makeCustomer = ({ florin, channel }: Stage, facts: object = {}): Promise<Customer> =>
  florin.customers.modify({ name: 'Made by florin trigger', livemode: false, defaultChannelId: channel.id, ...facts });

async function draftInvoice(stage: Stage): Promise<Invoice> {
  const { florin, overrides } = stage;
  const { id: customerId } = await makeCustomer(stage);
  const line = { description: 'Made by florin trigger', quantity: 1, unitAmount: 2000 };
  return florin.invoices.create({ customerId, currency: 'USD', lines: [line], ...overrides });
}

async function finalInvoice(stage: Stage): Promise<Invoice> {
  return stage.florin.invoices.finalize((await draftInvoice(stage)).id);
}

async function payInvoice(stage: Stage, paymentMethod: string): Promise<string> {
  const { id } = await finalInvoice(stage);
  await stage.florin.invoices.pay({ id, channelId: stage.channel.id, paymentMethod });
  return `inv_${id}`;
}

async function subscribe(stage: Stage): Promise<Subscription> {
  const { florin, channel, overrides } = stage;
  const customer = await makeCustomer(stage, { paymentMethod: 'sandbox:succeed' });
  const plan = await florin.plans.modify({
    name: 'Made by florin trigger',
    currency: 'USD',
    amount: 2000,
    interval: 'month',
    livemode: false,
    channelId: channel.id,
    state: true,
  });
  return florin.subscriptions.create({ customerId: customer.id, planId: plan.id, ...overrides });
}
