import type { StripeAccount } from './stripe-account.ts';
import { typeOfToken } from './stripe-methods.ts';
import { integer, metadata, type Params, required, requireKnown, StripeProblem, text, tree } from './stripe-params.ts';
import type { SimulatedSession } from './stripe-records.ts';
import { amountOf, currencyOf, problem, statementOf } from './stripe-rules.ts';
import { newSession } from './stripe-session-objects.ts';

/** Without `payment_method_types`, which the pinned version of the API has no more. */
const sessionParams = [
  'cancel_url',
  'client_reference_id',
  'currency',
  'customer',
  'excluded_payment_method_types',
  'expand',
  'expires_at',
  'line_items',
  'metadata',
  'mode',
  'payment_intent_data',
  'setup_intent_data',
  'success_url',
  'payment_method_options',
];

const minuteSeconds = 60;
const daySeconds = 86_400;

/** What a session gives to the intent that the payer's attempt makes. */
interface IntentData {
  amount: string;
  description?: string | undefined;
  metadata: Params;
  setup_future_usage?: string | undefined;
  statement_descriptor?: string | undefined;
  statement_descriptor_suffix?: string | undefined;
  capture_method?: string | undefined;
  payment_method_options?: Params | undefined;
}

/** The Checkout Sessions of an account, and what payers do on their pages. */
export class StripeSessions {
  readonly all = new Map<string, SimulatedSession>();
  readonly #data = new Map<string, IntentData>();
  readonly #account: StripeAccount;

  constructor(account: StripeAccount) {
    this.#account = account;
  }

  create(params: Params): SimulatedSession {
    requireKnown(params, sessionParams);
    const mode = required(params, 'mode');
    if (mode !== 'payment' && mode !== 'setup') throw problem('mode', `Invalid mode: ${mode}`);
    const created = this.#account.seconds();
    const isPayment = mode === 'payment';
    const foreign = isPayment ? 'setup_intent_data' : 'payment_intent_data';
    if (params[foreign] !== undefined) throw problem(foreign, `You can not pass ${foreign} in ${mode} mode.`);
    const item = isPayment ? itemOf(params) : undefined;
    const reference = text(params, 'client_reference_id') ?? null;
    if ((reference ?? '').length > 200) throw problem('client_reference_id', 'Must be at most 200 characters.');
    const session = newSession({
      amount_subtotal: item?.amount ?? null,
      amount_total: item?.amount ?? null,
      cancel_url: text(params, 'cancel_url') ?? null,
      client_reference_id: reference,
      created,
      currency: item?.currency ?? currencyOf(params),
      customer: this.#account.customers.require(text(params, 'customer')),
      expires_at: expiryOf(params, created),
      livemode: this.#account.livemode,
      metadata: metadata(params),
      mode,
      payment_status: isPayment ? 'unpaid' : 'no_payment_required',
      success_url: required(params, 'success_url'),
      ...(isPayment && { customer_creation: 'if_required' }),
    });
    const excluded = Object.values(tree(params, 'excluded_payment_method_types')).map(String);
    if (excluded.length > 0) session.excluded_payment_method_types = excluded;
    session.payment_method_types = session.payment_method_types.filter((type) => !excluded.includes(type));
    if (session.payment_method_types.length === 0) {
      throw problem('excluded_payment_method_types', 'No valid payment method types for this Checkout Session.');
    }
    session.url = `${this.#account.pages}/c/pay/${session.id}`;
    const data = tree(params, isPayment ? 'payment_intent_data' : 'setup_intent_data');
    statementOf(data);
    const intent = {
      amount: `${item?.amount}`,
      description: text(data, 'description'),
      metadata: tree(data, 'metadata'),
      setup_future_usage: text(data, 'setup_future_usage'),
      statement_descriptor: text(data, 'statement_descriptor'),
      statement_descriptor_suffix: text(data, 'statement_descriptor_suffix'),
      capture_method: text(data, 'capture_method'),
      payment_method_options: tree(params, 'payment_method_options'),
    };
    this.#data.set(session.id, intent);
    this.all.set(session.id, session);
    return session;
  }

  get(id: string): SimulatedSession {
    const session = this.all.get(id);
    if (session === undefined) {
      const message = `No such checkout.session: ${id}`;
      throw new StripeProblem(404, { code: 'resource_missing', param: 'session', message });
    }
    const isOver = session.status === 'open' && this.#account.seconds() >= session.expires_at;
    return isOver ? this.#expired(session) : session;
  }

  expire(id: string, params: Params): SimulatedSession {
    requireKnown(params, ['expand']);
    const session = this.get(id);
    if (session.status === 'open') return this.#expired(session);
    const message = 'Only Checkout Sessions with a status in ["open"] can be expired.';
    throw new StripeProblem(400, { message: `${message} This Checkout Session has a status of ${session.status}.` });
  }

  /** Whether an intent can be ended only by expiring its session. */
  owns(intentId: string): boolean {
    return [...this.all.values()].some(
      ({ payment_intent, setup_intent }) => payment_intent === intentId || setup_intent === intentId,
    );
  }

  /**
   * The payer submits the page with a method. A decline leaves it open. Returns where the payer goes: to their bank, or
   * back to the shop; undefined if they stay on the page.
   */
  submit(id: string, token: string): string | undefined {
    const session = this.get(id);
    if (session.status !== 'open' || !isOffered(session, token)) return undefined;
    const intent = session.mode === 'payment' ? this.#pay(session, token) : this.#setUp(session, token);
    const action = intent?.next_action as { redirect_to_url?: { url: string } } | null | undefined;
    if (action?.redirect_to_url !== undefined) return action.redirect_to_url.url;
    if (intent === undefined || intent.status === 'requires_payment_method') return undefined;
    this.#complete(session);
    return session.success_url ?? undefined;
  }

  /** The payer comes back from the bank to the page. Returns where they go. */
  returned(intentId: string): string | undefined {
    const session = [...this.all.values()].find(
      ({ payment_intent, setup_intent }) => payment_intent === intentId || setup_intent === intentId,
    );
    if (session === undefined) return undefined;
    const { status } = session.mode === 'payment' ? this.#account.intent(intentId) : this.#account.setups.get(intentId);
    if (status !== 'requires_payment_method') this.#complete(session);
    return session.status === 'complete' ? (session.success_url ?? undefined) : (session.url ?? undefined);
  }

  /** A debit of a session ends. */
  settled(intentId: string, succeeds: boolean): void {
    const session = [...this.all.values()].find(({ payment_intent }) => payment_intent === intentId);
    if (session === undefined || session.status !== 'complete') return;
    if (succeeds) session.payment_status = 'paid';
    this.#account.onEvent(`checkout.session.async_payment_${succeeds ? 'succeeded' : 'failed'}`, session);
  }

  #pay(session: SimulatedSession, token: string) {
    const { amount, ...data } = this.#data.get(session.id) as IntentData;
    const { currency, customer } = session;
    const given = Object.entries({ ...data, customer, currency }).filter(([, value]) => value);
    if (session.payment_intent === null) {
      const params = Object.fromEntries(given) as Params;
      const created = this.#account.createIntent({ amount, ...params, automatic_payment_methods: { enabled: 'true' } });
      session.payment_intent = created.id;
    }
    const id = session.payment_intent;
    return attempted(() => this.#account.confirmIntent(id, { payment_method: token, return_url: session.url ?? '' }));
  }

  #setUp(session: SimulatedSession, token: string) {
    const { metadata: given } = this.#data.get(session.id) as IntentData;
    const { customer } = session;
    if (session.setup_intent === null) {
      const created = this.#account.setups.create({ metadata: given, ...(customer !== null && { customer }) });
      session.setup_intent = created.id;
    }
    const id = session.setup_intent;
    return attempted(() => this.#account.setups.confirm(id, { payment_method: token, return_url: session.url ?? '' }));
  }

  #complete(session: SimulatedSession): void {
    const intent = session.payment_intent === null ? undefined : this.#account.intent(session.payment_intent);
    if (intent?.status === 'succeeded') session.payment_status = 'paid';
    session.status = 'complete';
    session.url = null;
    session.customer_details = { ...noDetails, email: 'jenny@example.org', name: 'Jenny Rosen' };
    this.#account.onEvent('checkout.session.completed', session);
  }

  #expired(session: SimulatedSession): SimulatedSession {
    session.status = 'expired';
    session.url = null;
    const { payment_intent: id } = session;
    if (id !== null) this.#account.end(id);
    this.#account.onEvent('checkout.session.expired', session);
    return session;
  }
}

const noDetails = {
  address: null,
  business_name: null,
  individual_name: null,
  phone: null,
  tax_exempt: 'none',
  tax_ids: null,
};

/** A declined attempt leaves the page open. */
function attempted<Intent>(confirm: () => Intent): Intent | undefined {
  try {
    return confirm();
  } catch (error) {
    if (error instanceof StripeProblem) return undefined;
    throw error;
  }
}

/** The one item of a payment: its amount and currency. */
function itemOf(params: Params): { amount: number; currency: string } {
  const items = Object.values(tree(params, 'line_items')) as Params[];
  const [item] = items;
  if (item === undefined)
    throw new StripeProblem(400, { code: 'parameter_missing', param: 'line_items', message: noItems });
  const price = tree(item, 'price_data');
  required(tree(price, 'product_data'), 'name');
  const quantity = integer(item, 'quantity') ?? 1;
  const total = {
    amount: `${Number(required(price, 'unit_amount')) * quantity}`,
    currency: required(price, 'currency'),
  };
  return { amount: amountOf(total), currency: currencyOf(total) };
}

const noItems = 'line_items is required in payment mode.';

/** https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-expires_at */
function expiryOf(params: Params, created: number): number {
  const expiry = integer(params, 'expires_at') ?? created + daySeconds;
  if (expiry < created + 30 * minuteSeconds || expiry > created + daySeconds) {
    throw problem('expires_at', 'The `expires_at` timestamp must be between 30 minutes and 24 hours from creation.');
  }
  return expiry;
}

/** The methods that the page of a session offers, by their test tokens. */
export function offeredOn(session: SimulatedSession): readonly [string, string][] {
  return tokens.filter(([token]) => isOffered(session, token));
}

function isOffered({ payment_method_types: types }: SimulatedSession, token: string): boolean {
  const type = typeOfToken(token);
  return type !== undefined && types.includes(type);
}

const tokens: readonly [string, string][] = [
  ['pm_card_visa', 'Card that is accepted'],
  ['pm_card_authenticationRequiredOnSetup', 'Card that wants its payer once'],
  ['pm_card_authenticationRequired', 'Card that wants its payer each time'],
  ['pm_card_chargeDeclined', 'Card that is declined'],
  ['pm_card_chargeDeclinedInsufficientFunds', 'Card without funds'],
  ['pm_card_chargeCustomerFail', 'Card that is kept, and then declined'],
  ['pm_success_de', 'SEPA debit'],
  ['pm_usBankAccount_success', 'ACH debit'],
  ['pm_ideal', 'iDEAL'],
];
