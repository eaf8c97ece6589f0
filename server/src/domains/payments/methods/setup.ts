import { isoTime } from '../../../core/clock.ts';
import { invalid, notFound, Refusal } from '../../../core/errors.ts';
import { publicId, uuidTimeMs } from '../../../core/id.ts';
import { requireModeOfKey, requireSameMode, seesMode } from '../../../core/livemode.ts';
import { metadataJson } from '../../../core/metadata.ts';
import type { Principal } from '../../../core/principal.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { Call } from '../../../platform/http/route.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { answerOnce, type IdempotentAnswer } from '../../../platform/postgres/idempotency-records.ts';
import { type Actor, appendAudit } from '../../identity/audit/append.ts';
import { secretsGiven } from '../../identity/audit/changes.ts';
import { actFor } from '../../identity/tenants/act-for.ts';
import { visibleTenants } from '../../identity/tenants/visible-tenants.ts';
import type { PaymentsApp } from '../app.ts';
import { requireAccepting } from '../channels/rules.ts';
import type { ChannelRow } from '../channels/statements.ts';
import { abilitiesOf } from '../providers/abilities.ts';
import type { Agreement, BankAccount, Consent, MethodType } from '../providers/kept-method.ts';
import type { MethodProvider, Provider, SetupSource } from '../providers/provider.ts';
import { insertMethod } from './change.ts';
import type { MethodCustomer } from './customers.ts';
import { referenceDigest, sealSource } from './kept.ts';
import { openMethodOperation } from './operation-statements.ts';
import { emptyMethod, type MethodRecord, type MethodRow, method } from './record.ts';
import { debitTypes } from './rules.ts';
import { type SetupInput, setupInput } from './schema.ts';
import { findByReference } from './statements.ts';

const path = '/api/payment-method/setup';

/**
 * Sets a payment method up at a channel's provider, without moving money. It is PENDING when this resolves; a worker
 * calls the provider. A repeat with the same idempotency key gets the first answer.
 */
export async function setUpMethod(
  { body: input, principal: caller, idempotencyKey }: Call<SetupInput>,
  app: PaymentsApp,
): Promise<IdempotentAnswer<MethodRecord>> {
  const { token, bankAccount, customerReference, ...open } = input;
  requireSource(input);
  metadataJson(input.metadata);
  const principal = await app.channels.actOn(input.channelId, await actFor(caller, input.tenantId, app.database));
  const customer = await findCustomer(input.customerId, principal, app);
  const source = { token: token ?? null, bankAccount: bankAccount ?? null, type: input.type ?? null };
  const channel = await channelThatKeeps(input.channelId, source, principal, customer, app);
  if (customerReference !== undefined) await requireAdopting(channel, app);
  const secrets = secretsGiven(setupInput, input);
  const request = {
    tenantId: customer.tenantId,
    path,
    key: idempotencyKey,
    input: { ...open, ...secrets },
    nowMs: app.clock(),
  };
  return answerOnce(app.database, request, async (transaction) => {
    const { isDefault = null, agreement, consent, type, returnUrl, metadata } = input;
    const known = customerReference && (await findAdopted(transaction, token as string, channel, customer));
    if (known) return method.show(known);
    const source = { token, bankAccount, customerReference };
    const setup = { customer, channel, ...source, isDefault, agreement, consent, type, returnUrl, metadata };
    return method.show(await beginSetup(transaction, setup, principal, app));
  });
}

/** A method to set up for a customer of the channel's mode. */
export interface Setup {
  token?: string | undefined;
  /** The provider's id of the customer for whom it keeps the token already. */
  customerReference?: string | undefined;
  bankAccount?: BankAccount | undefined;
  customer: Pick<MethodCustomer, 'tenantId' | 'id'>;
  channel: ChannelRow;
  /** Null: it becomes the default where the customer has none. */
  isDefault: boolean | null;
  agreement?: Agreement | undefined;
  consent?: Consent | undefined;
  type?: MethodType | undefined;
  returnUrl?: string | undefined;
  metadata?: object | undefined;
}

/** Writes a PENDING method, and the operation that sets it up at the provider. `actor`: who does it. */
export async function beginSetup(
  transaction: Queryable,
  { customer, channel, type, ...setup }: Setup,
  actor: Actor,
  app: Pick<PaymentsApp, 'clock' | 'generateUuid' | 'seal' | 'methodCustomers'>,
): Promise<MethodRow> {
  const { tenantId } = customer;
  const { token = null, bankAccount = null, customerReference } = setup;
  const key = { tenant_id: tenantId, id: app.generateUuid() };
  const time = isoTime(uuidTimeMs(key.id));
  const provider = channel.provider as NonNullable<ChannelRow['provider']>;
  const unsealed: MethodRow = {
    ...emptyMethod,
    ...key,
    livemode: channel.livemode,
    customer_id: customer.id,
    channel_id: channel.id,
    provider,
    type: bankAccount === null ? (type ?? 'other') : 'sepa_debit',
    ...shownOf(bankAccount),
    agreement: setup.agreement ?? 'SUBSCRIPTION',
    status: 'PENDING',
    wants_default: setup.isDefault,
    consent: setup.consent ?? null,
    metadata: (setup.metadata as MethodRow['metadata'] | undefined) ?? null,
    return_url: setup.returnUrl ?? null,
    created_at: time,
    updated_at: time,
  };
  const hasSource = token !== null || bankAccount !== null;
  const source_sealed = hasSource
    ? sealSource({ token, bankAccount, ...(customerReference !== undefined && { customerReference }) }, unsealed, app)
    : null;
  const row = await insertMethod(transaction, { ...unsealed, source_sealed }, app);
  await transaction.run(openMethodOperation, [tenantId, row.id, 'SETUP', channel.id, provider, uuidTimeMs(row.id)]);
  const secrets = {
    ...(token !== null && { token: 'set' as const }),
    ...(bankAccount !== null && { bankAccount: 'set' as const }),
    ...(customerReference !== undefined && { customerReference: 'set' as const }),
  };
  const action = 'payment_method.setup';
  const recordId = publicId('mtd', row.id);
  await appendAudit(transaction, actor, { action, tenantId, recordId, after: method.show(row), secrets });
  return row;
}

function requireSource({ token, bankAccount, customerReference, type, consent }: SetupInput): void {
  if (customerReference !== undefined && token === undefined) {
    throw invalid('customerReference', rule('reference_needs_token'));
  }
  if (bankAccount !== undefined && token !== undefined) {
    throw invalid('bankAccount', rule('not_together', { other: 'token' }));
  }
  if (bankAccount !== undefined && type !== undefined && type !== 'sepa_debit') {
    throw invalid('type', rule('bank_account_is_sepa'));
  }
  if (customerReference !== undefined) return;
  const isDebit = bankAccount !== undefined || (token !== undefined && type !== undefined && debitTypes.has(type));
  if (isDebit && consent === undefined) {
    throw invalid('consent', rule('debit_needs_consent'));
  }
}

function shownOf(bankAccount: BankAccount | null): Pick<MethodRow, 'last4' | 'country'> {
  const iban = bankAccount?.iban.replaceAll(' ', '').toUpperCase();
  return iban === undefined ? { last4: null, country: null } : { last4: iban.slice(-4), country: iban.slice(0, 2) };
}

/** The customer, if the caller may see it. */
export async function findCustomer(
  id: number,
  principal: Principal,
  { database, methodCustomers }: Pick<PaymentsApp, 'database' | 'methodCustomers'>,
): Promise<MethodCustomer> {
  const tenants = await visibleTenants(database, principal);
  const customer = await methodCustomers.find(database, tenants, id);
  if (customer === undefined || !seesMode(principal, customer.livemode)) throw notFound('customer', id, 'customerId');
  return customer;
}

/** The channel, which must accept payments, be of the customer's mode, and have a provider that keeps such methods. */
async function channelThatKeeps(
  id: number,
  source: SetupSource,
  principal: Principal,
  { tenantId, livemode }: MethodCustomer,
  app: Pick<PaymentsApp, 'channels' | 'providers'>,
): Promise<ChannelRow> {
  const channel = await app.channels.findUsable(id, tenantId);
  requireModeOfKey(principal, channel.livemode, 'channelId', { noun: 'channel', id: id });
  requireSameMode(livemode, channel.livemode, 'channelId', { noun: 'channel', id: id });
  await requireSetupAt(channel, source, app);
  return channel;
}

/**
 * Refuses a channel that does not accept payments, or whose provider keeps no payment methods, or none of this kind
 * (`channel_cannot`), or such a one only with a payment (`setup_needs_payment`).
 */
export async function requireSetupAt(
  channel: ChannelRow,
  source: SetupSource,
  app: Pick<PaymentsApp, 'providers'>,
  field = 'channelId',
): Promise<void> {
  requireAccepting(channel, channel.currencies[0] as string, field);
  const methods = await requireMethodsOf(channel, app, field);
  requireKeeping(channel, source, field);
  if (methods.needsPayment?.(source) !== true) return;
  throw new Refusal('setup_needs_payment', rule('setup_needs_payment', { channelId: channel.id }), {
    field,
    details: { provider: channel.provider },
  });
}

/** Refuses (`channel_cannot`) a channel whose provider keeps no method of this kind. */
function requireKeeping({ id, provider }: ChannelRow, { type, bankAccount }: SetupSource, field: string): void {
  const { keeps, takesBankAccounts } = abilitiesOf(provider);
  const isKept = type === null || keeps.includes(type);
  const unable = bankAccount !== null && !takesBankAccounts ? 'bankAccount' : isKept ? undefined : type;
  if (unable === undefined) return;
  const broken = rule('keeps_no_such_methods', { channelId: id, provider: String(provider) });
  throw new Refusal('channel_cannot', broken, { field, details: { provider, ability: `methods:${unable}` } });
}

/** Refuses (`channel_cannot`) a channel whose provider takes over no methods that it keeps already. */
async function requireAdopting(channel: ChannelRow, app: Pick<PaymentsApp, 'providers'>): Promise<void> {
  const methods = await requireMethodsOf(channel, app);
  if (methods.adopt !== undefined) return;
  throw new Refusal(
    'channel_cannot',
    rule('cannot_adopt', { channelId: channel.id, provider: String(channel.provider) }),
    { field: 'customerReference', details: { provider: channel.provider, ability: 'adopt' } },
  );
}

/** The customer's method that the provider knows by this id, if it can be charged or has ended. */
async function findAdopted(
  transaction: Queryable,
  reference: string,
  { id: channelId }: ChannelRow,
  customer: MethodCustomer,
): Promise<MethodRow | undefined> {
  const known = await transaction.run(findByReference, [channelId, referenceDigest(transaction, channelId, reference)]);
  return known.find(({ tenant_id, customer_id }) => tenant_id === customer.tenantId && customer_id === customer.id);
}

/** How the provider of a channel keeps payment methods. Refuses (`channel_cannot`) one whose provider keeps none. */
export async function requireMethodsOf(
  { id, provider }: ChannelRow,
  { providers }: Pick<PaymentsApp, 'providers'>,
  field = 'channelId',
): Promise<MethodProvider> {
  const connector: Provider | undefined = provider === null ? undefined : await providers.of(provider);
  if (connector?.methods !== undefined) return connector.methods;
  throw new Refusal(
    'channel_cannot',
    provider === null
      ? rule('offline_keeps_no_methods', { channelId: id })
      : rule('keeps_no_methods', { channelId: id, provider }),
    { field, details: { provider, ability: 'methods' } },
  );
}
