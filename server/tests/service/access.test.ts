import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/routes.ts';
import { type Scope, scopes } from '../../src/core/scopes.ts';
import { headersOf, signedMessage } from '../../src/domains/payments/providers/sandbox/messages.ts';
import { makeCustomer, makeDraft, makeInvoice } from '../support/billing/invoices.ts';
import { campaign, isCampaign } from '../support/campaign.ts';
import {
  administratorOf,
  channelInput,
  dataOf,
  type Member,
  makeChannel,
  makeKey,
  makeMember,
  makePaid,
  makePayment,
  makeTenant,
  memberPassword,
  unique,
} from '../support/factories.ts';
import { channelSecret, makeProviderChannel, sandboxReportOf } from '../support/payments/callbacks.ts';
import { databaseFromTemplate, type TestDatabase } from '../support/postgres/database.ts';
import { idIn, requestOf } from '../support/service/example-requests.ts';
import { administratorPassword, florinOn, type Reply, type TestFlorin } from '../support/service/florin.ts';
import { type Permission, whoMayCall } from './who-may-call.ts';

/**
 * Every operation of the OpenAPI document × every kind of caller × {own, another tenant's, no} record. Each caller may
 * do what the document declares (`x-required-scope`, `x-required-user-types`, `security`), and `who-may-call.ts` says
 * the same without reading a route. Requests are those of the document's examples. `npm run campaigns` lets every
 * caller call every operation.
 */

/** The owner of the record that a request names; `none` if it names none (a create). */
type Ownership = 'none' | 'own' | 'foreign' | 'absent';

interface Records {
  channel: number;
  transaction: string;
  /** A payment that succeeded, large enough to be refunded over and over. */
  paid: string;
  refund: string;
  /** A payment method of `payer`. */
  method: string;
  freshMethod: () => Promise<string>;
  user: Member;
  tenant: number;
  key: number;
  passkey: string;
  webhook: number;
  delivery: string;
  replay: string;
  event: string;
  inbox: number;
  token: string;
  invoice: number;
  clock: number;
  freshDraft: () => Promise<number>;
  /** Of a customer with a mail address. */
  openInvoice: number;
  plan: number;
  subscription: number;
  checkout: number;
  /** Whose default channel is `channel`. */
  payer: number;
  /** A new subscription. */
  freshSubscription: (isPaused?: boolean) => Promise<number>;
}

interface Case extends Permission {
  ownerships: Ownership[];
  request: (records: Records, caller: Caller, ownership: Ownership) => Request | Promise<Request>;
  /** A platform administrator reaches the records of every tenant, except where they act as themselves. */
  acrossTenants: boolean;
  /** The status of a permitted request, if it is not 200. */
  answers?: number;
}

interface Request {
  /** The value of `{name}` in the path. */
  params?: Record<string, string | number>;
  headers?: Record<string, string>;
  query?: Record<string, string | number>;
  body?: unknown;
  /** The id in the request, for comparing refusals. */
  id?: string | number;
}

interface Caller {
  name: string;
  as: string | undefined;
  /** Of the console, instead of `as`. */
  cookie?: string;
  /** The same user with a token, to create records that a request uses up. */
  maker?: string;
  /** Refused wherever credentials are checked, although they are valid. */
  refusedWith?: 'address_not_allowed' | 'second_factor_not_enrolled';
  /** Calls only operations that need this scope, because it holds every other one. */
  without?: Scope;
  /** Its token was issued by the service, and its session has ended. */
  ended?: true;
  /** Undefined if its credentials are not valid. */
  known?: {
    by: 'session' | 'key';
    userType: string;
    tenant: 'platform' | 'one';
    scopes: readonly string[];
    /** A key that was not granted `*`, although its owner is an administrator. */
    isLimited?: true;
  };
}

const reads = ['transaction_read', 'user_read', 'channel_read', 'invoice_read', 'subscription_read', 'webhook_read'];
const cashierScopes = [...reads, 'transaction_write'];
const operatorScopes = [...cashierScopes, 'transaction_refund', 'invoice_write', 'subscription_write', 'webhook_write'];

/** An answer of an unknown authenticator. */
const asserted = {
  ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key' },
  response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' },
};

const absentRequest = `req_${'0'.repeat(32)}`;
const absentSession = '0b6f2c1e-8f6a-4d55-9a43-3f2f9d6c1b7e';

const named: Ownership[] = ['own', 'foreign', 'absent'];
const createdOrNamed: Ownership[] = ['none', ...named];

const callback: Partial<Case> = {
  request: () => {
    const { body, signature } = signedMessage(sandboxReportOf('txn_of_nobody'), 1, channelSecret);
    const [channel, token] = calledBack.split('/') as [string, string];
    return { params: { channel, token }, body, headers: headersOf({ body, signature }) };
  },
};

/** The dispute has ended: it cannot be answered. */
const ofDispute = (request: (id: string) => Request): Partial<Case> => ({
  ownerships: named,
  request: async ({ paid }) => {
    const id = await openDispute(paid);
    return { ...request(id), id };
  },
  answers: 409,
});

/** The callers here have no second factor. */
const withoutFactor: Partial<Case> = {
  request: () => ({ body: { code: '123456' } }),
  answers: 409,
};

/** Requests that differ from what the document and its examples say. */
const differing: Record<string, Partial<Case>> = {
  'GET /api/search': { request: () => ({ query: { q: 'Ada' } }) },
  'GET /api/audit/export': { request: () => ({ query: { endDate: '2020-01-01' } }) },
  'POST /api/user/login': {
    request: () => ({ body: { account: 'admin', password: administratorPassword } }),
  },
  'POST /api/user/refresh': { request: () => ({ body: { refreshToken } }) },
  'POST /api/user/forgot-password': {
    request: () => ({ body: { email: 'stranger@example.com' } }),
  },
  'POST /api/user/reset-password': {
    request: () => ({ body: { token: 'never issued', newPassword: memberPassword } }),
    answers: 400,
  },
  'POST /api/console/session/second-factor': {
    request: () => ({ headers: fromConsole(), body: { challenge: 'never issued', code: '123456' } }),
    answers: 400,
  },
  'POST /api/console/session/passkey': {
    request: () => ({ headers: fromConsole(), body: { challenge: 'never issued', credential: asserted } }),
    answers: 400,
  },
  'POST /api/user/login/passkey/begin': { request: () => ({ body: {} }) },
  'POST /api/user/login/passkey': {
    request: () => ({ body: { challenge: 'never issued', credential: asserted } }),
    answers: 400,
  },
  'POST /api/user/passkey/begin': {
    request: () => ({ body: { password: 'not the present one' } }),
    answers: 400,
  },
  'POST /api/user/passkey/register': {
    request: () => ({
      body: { credential: { ...asserted, response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' } } },
    }),
    answers: 400,
  },
  'POST /api/user/passkey/modify': {
    ownerships: ['foreign', 'absent'],
    acrossTenants: false,
    request: ({ passkey: id }) => ({ body: { id, name: 'Mine' }, id }),
  },
  'POST /api/user/passkey/remove': {
    ownerships: ['foreign', 'absent'],
    acrossTenants: false,
    request: ({ passkey: id }) => ({ body: { id }, id }),
  },
  'POST /api/view/modify': {
    request: () => ({ body: { listName: 'payments', name: 'Mine', query: 'status=FAILED' } }),
  },
  'POST /api/view/remove': {
    request: () => ({ body: { listName: 'payments', name: 'Never saved' } }),
  },
  'POST /api/user/step-up/passkey/begin': { request: () => ({}), answers: 409 },
  'POST /api/user/step-up/passkey': {
    request: () => ({ body: { credential: asserted } }),
    answers: 400,
  },
  'POST /api/user/modify': {
    ownerships: createdOrNamed,
    request: ({ user: { id, userName } }, _caller, ownership) => {
      const name = ownership === 'own' || ownership === 'foreign' ? userName : unique('user');
      const common = { userName: name, email: `${name}@example.com`, userType: 'MERCHANT_USER', state: true };
      return { body: ownership === 'none' ? common : { id, ...common }, id };
    },
  },
  'POST /api/developer/mine/rotate': {
    ownerships: named,
    acrossTenants: false,
    request: async ({ key }, { as, maker = as, known }, ownership) => {
      const mine = ownership === 'own' && known?.by === 'session';
      const id = mine ? (await makeKey(florin, maker as string)).id : key;
      return { body: { id }, id };
    },
  },
  'POST /api/session/revoke': {
    ownerships: ['absent'],
    request: () => ({ body: { id: absentSession }, id: absentSession }),
  },
  'POST /api/user/change-password': {
    request: () => ({ body: { oldPassword: 'not the present one', newPassword: memberPassword } }),
    answers: 400,
  },
  'POST /api/user/login/second-factor': {
    request: () => ({ body: { challenge: 'never issued', code: '123456' } }),
    answers: 400,
  },
  'POST /api/user/second-factor/begin': {
    request: () => ({ body: { password: 'not the present one' } }),
    answers: 400,
  },
  'POST /api/user/second-factor/confirm': withoutFactor,
  'POST /api/user/second-factor/recovery-codes': withoutFactor,
  'POST /api/user/second-factor/remove': withoutFactor,
  'POST /api/user/step-up': withoutFactor,
  'POST /api/user/second-factor/revoke': {
    ownerships: ['foreign', 'absent'],
    request: ({ user: { id } }) => ({ body: { id }, id }),
    answers: 409,
  },
  'POST /api/developer/mine/generate': { request: () => ({ body: {} }) },
  'POST /api/developer/mine/revoke': {
    ownerships: named,
    acrossTenants: false,
    request: async ({ key }, { as, maker = as, known }, ownership) => {
      const mine = ownership === 'own' && known?.by === 'session';
      const id = mine ? (await makeKey(florin, maker as string)).id : key;
      return { body: { id }, id };
    },
  },
  'POST /api/channel/modify': {
    ownerships: createdOrNamed,
    request: ({ channel: id }, _caller, ownership) => ({
      body: channelInput(ownership === 'none' ? {} : { id }),
      id,
    }),
  },
  'POST /api/transaction/update': {
    ownerships: named,
    request: ({ transaction: id }) => ({ body: { id, description: unique('words') }, id }),
  },
  'POST /api/transaction/capture': {
    ownerships: named,
    request: ({ transaction: id }) => ({ body: { id }, id }),
    answers: 409,
  },
  'POST /api/transaction/release': {
    ownerships: named,
    request: ({ transaction: id }) => ({ body: { id }, id }),
    answers: 409,
  },
  'POST /api/discrepancy/close': {
    ownerships: named,
    request: async ({ paid: id }) => {
      const discrepancy = await openDiscrepancy(id);
      return { body: { id: discrepancy, note: 'Paid back' }, id: discrepancy };
    },
  },
  'GET /api/discrepancy/detail': {
    ownerships: named,
    request: async ({ paid: id }) => {
      const discrepancy = await openDiscrepancy(id);
      return { query: { id: discrepancy }, id: discrepancy };
    },
  },
  'GET /api/dispute/detail': {
    ownerships: named,
    request: async ({ paid }) => {
      const id = await openDispute(paid);
      return { query: { id }, id };
    },
  },
  'POST /api/dispute/evidence': ofDispute((id) => ({ body: { id, evidence: { explanation: 'None' } } })),
  'POST /api/dispute/file': ofDispute((id) => ({ query: { id, name: 'receipt' }, body: 'no picture' })),
  'POST /api/dispute/submit': ofDispute((id) => ({ body: { id } })),
  'POST /api/dispute/accept': ofDispute((id) => ({ body: { id } })),
  // Its id is optional, because `externalId` names a customer as well.
  'GET /api/customer/detail': {
    ownerships: named,
    request: ({ payer: id }) => ({ query: { id }, id }),
  },
  'POST /api/customer/modify': {
    ownerships: createdOrNamed,
    request: ({ payer: id }, _caller, ownership) => ({
      body: { ...(ownership !== 'none' && { id }), name: unique('Customer') },
      id,
    }),
  },
  // Live channels here have no provider: methods.test.ts sets methods up on a sandbox.
  'POST /api/payment-method/setup': {
    ownerships: named,
    request: ({ payer, channel }) => ({
      body: { customerId: payer, channelId: channel, token: 'tok_visa' },
      id: payer,
    }),
    answers: 409,
  },
  'POST /api/payment-method/detach': {
    ownerships: named,
    request: async ({ method, freshMethod }, { known }, ownership) => {
      const isDone = ownership !== 'absent' && known?.scopes.includes('transaction_write');
      const id = isDone ? await freshMethod() : method;
      return { body: { id }, id };
    },
  },
  'POST /api/invoice/modify': draftVerb({ description: 'Changed' }),
  'POST /api/invoice/finalize': draftVerb(),
  'POST /api/invoice/send': { request: ({ openInvoice: id }) => ({ body: { id }, id }) },
  'POST /api/invoice/void': draftVerb(),
  'POST /api/clock/advance': {
    ownerships: named,
    request: ({ clock: id }) => ({ body: { id, toTime: '2027-01-31T00:00:00Z' }, id }),
  },
  'POST /api/subscription/update': {
    ownerships: named,
    request: ({ subscription: id }) => ({ body: { id, metadata: { words: unique('words') } }, id }),
  },
  'POST /api/subscription/pause': subscriptionVerb(),
  'POST /api/subscription/cancel': subscriptionVerb(),
  'POST /api/subscription/resume': subscriptionVerb(true),
  'POST /api/checkout/create': {
    ownerships: named,
    request: ({ channel: id }) => ({ body: { amount: 100, currency: 'USD', channelIds: [id] }, id }),
  },
  'GET /api/statistics/recent': { request: () => ({}) },
  'GET /api/statistics/series': {
    request: () => ({ query: { groupBy: 'channel' } }),
  },
  'POST /api/webhook/register': {
    request: () => ({
      body: { url: 'http://127.0.0.1:9/hook', events: ['transaction.refunded'], secret: 'our shared secret' },
    }),
  },
  'GET /api/webhook/delivery/list': {
    ownerships: named,
    request: ({ webhook: endpointId }) => ({ query: { endpointId }, id: endpointId }),
  },
  'POST /api/webhook/replay': {
    ownerships: named,
    request: ({ delivery: deliveryId }) => ({ body: { deliveryId }, id: deliveryId }),
  },
  'GET /api/stream': { request: () => ({ query: { follow: 'false' } }) },
  'GET /api/request/detail': {
    ownerships: ['absent'],
    request: () => ({ query: { id: absentRequest }, id: absentRequest }),
  },
  'POST /api/device/code': { request: () => ({ body: { client: 'florin' } }) },
  'POST /api/device/token': {
    request: () => ({ body: { deviceCode: 'never given out' } }),
    answers: 400,
  },
  'GET /api/device/request': {
    ownerships: ['absent'],
    request: () => ({ query: { userCode: 'BBBB-BBBB' }, id: 'BBBB-BBBB' }),
  },
  'POST /api/device/decide': {
    ownerships: ['absent'],
    request: () => ({ body: { userCode: 'BBBB-BBBB', approve: true }, id: 'BBBB-BBBB' }),
  },
  'GET /api/inbox/messages': {
    ownerships: named,
    acrossTenants: false,
    request: ({ inbox: id }) => ({ query: { id }, id }),
  },
  'POST /api/webhook/remove': {
    ownerships: named,
    request: async ({ webhook }, { as, maker = as, known }, ownership) => {
      const mine =
        ownership === 'own' && ['webhook_write', 'transaction_read'].every((scope) => known?.scopes.includes(scope));
      const id = mine ? await makeWebhook(maker as string) : webhook;
      return { body: { id }, id };
    },
  },
  // The token in the path is the credential.
  'POST /inbox/{token}': {
    request: () => ({ params: { token: records.platform.token }, body: 'anything' }),
  },
  'POST /api/callback/{channel}': callback,
  'POST /api/callback/{channel}/{token}': callback,
  'POST /api/console/session/end': {
    request: () => ({ headers: fromConsole() }),
  },
  'POST /api/console/session': {
    request: () => ({ headers: fromConsole(), body: { account: 'admin', password: administratorPassword } }),
  },
  'POST /api/user/logout': { request: () => ({}) },
};

const cases: Record<string, Case> = Object.fromEntries(
  Object.entries(whoMayCall).map(([route, permission]) => [
    route,
    { ...caseOf(route), ...differing[route], ...permission },
  ]),
);

/** The example of the document, for the record of the owner in question. */
function caseOf(route: string): Omit<Case, 'needs'> {
  const { in: place, example, naming } = requestOf(route);
  return {
    ownerships: naming === undefined ? ['none'] : naming.isOptional ? createdOrNamed : named,
    acrossTenants: true,
    request: (records, _caller, ownership) => {
      const ids = { ...records, user: records.user.id };
      const others = Object.entries(example).map(([field, value]) => [field, idIn(ids, route, field) ?? value]);
      const id = naming && idIn(ids, route, naming.field);
      const named = naming && ownership !== 'none' ? { [naming.field]: id } : {};
      return { [place]: { ...Object.fromEntries(others), ...named }, ...(id !== undefined && { id }) };
    },
  };
}

/** What the console sends with every request. */
function fromConsole(): Record<string, string> {
  return { origin: florin.address, 'x-florin-console': '1' };
}

/** An operation that works once on a draft: each known caller gets a new one. */
function draftVerb(changes: object = {}): Partial<Case> {
  return {
    request: async ({ invoice, freshDraft }, { known }, ownership) => {
      const id = known === undefined || ownership === 'absent' ? invoice : await freshDraft();
      return { body: { id, ...changes }, id };
    },
  };
}

/** An operation that works once on a subscription: each caller who may call it gets a new one. */
function subscriptionVerb(isPaused = false): Partial<Case> {
  return {
    request: async ({ subscription, freshSubscription }, { known }, ownership) => {
      const isDone = ownership !== 'absent' && known?.scopes.includes('subscription_write');
      const id = isDone ? await freshSubscription(isPaused) : subscription;
      return { body: { id }, id };
    },
  };
}

function planInput(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { name: 'Gold', currency: 'USD', amount: 1, interval: 'month', state: true, ...changes };
}

let db: TestDatabase;
let florin: TestFlorin;
/** How far the node's clock is ahead of the machine's. */
let aheadMs = 0;
let refreshToken: string;
/** The id of a channel that takes callbacks, and the token of its address. */
let calledBack: string;
let callers: Caller[];
const records = {} as Record<'platform' | 'one' | 'two' | 'absent', Records>;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, {}, () => Date.now() + aheadMs);
  const admin = await administratorOf(florin);
  const one = await makeTenant(florin, admin);
  const two = await makeTenant(florin, admin);
  const adminOfOne = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: one });
  const adminOfTwo = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: two });
  records.platform = await makeRecords(admin, admin, null, one);
  records.one = await makeRecords(admin, adminOfOne.as, one, one);
  records.two = await makeRecords(admin, adminOfTwo.as, two, two);
  records.absent = {
    channel: 987_654,
    transaction: 'txn_0198a5b87c1f7000800000000000dead',
    paid: 'txn_0198a5b87c1f7000800000000000beef',
    refund: 'ref_0198a5b87c1f7000800000000000dead',
    method: 'mtd_0198a5b87c1f7000800000000000dead',
    freshMethod: async () => 'mtd_0198a5b87c1f7000800000000000dead',
    user: { id: 987_654, userName: 'nobody', as: '' },
    tenant: 987_654,
    key: 987_654,
    passkey: absentSession,
    webhook: 987_654,
    delivery: 'dlv_0198a5b87c1f7000800000000000dead',
    replay: 'rpl_0198a5b87c1f7000800000000000dead',
    event: 'evt_0198a5b87c1f7000800000000000dead',
    inbox: 987_654,
    token: 'x'.repeat(32),
    invoice: 987_654,
    clock: 987_654,
    freshDraft: async () => 987_654,
    openInvoice: 987_654,
    plan: 987_654,
    subscription: 987_654,
    checkout: 987_654,
    payer: 987_654,
    freshSubscription: async () => 987_654,
  };
  callers = [...(await unauthenticatedCallers(admin, one)), ...(await authenticatedCallers(admin, adminOfOne, one))];
  const receiving = await makeProviderChannel(florin, admin);
  const { callbackUrl } = dataOf(await florin.get('/api/channel/list', admin)).find(
    ({ id }: { id: number }) => id === receiving,
  );
  calledBack = callbackUrl.split('/api/callback/')[1];
  refreshToken = (await login('admin', administratorPassword)).token.refreshToken;
}, 60_000);

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

async function makeRecords(admin: string, as: string, tenantId: number | null, tenant: number): Promise<Records> {
  const channel = await makeChannel(florin, as);
  const paid = await makePaid(florin, as, channel, { amount: 1_000_000 });
  const transaction = await makePayment(florin, as, channel);
  const payer = await makeCustomer(florin, as, { defaultChannelId: channel });
  const plan = dataOf(await florin.post('/api/plan/modify', planInput(), as)).id;
  const freshSubscription = async (isPaused = false): Promise<number> => {
    const { id } = dataOf(await florin.post('/api/subscription/create', { customerId: payer, planId: plan }, as));
    if (isPaused) dataOf(await florin.post('/api/subscription/pause', { id }, as));
    return id;
  };
  const user = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
  const freshMethod = () => insertMethod(payer, channel);
  return {
    method: await freshMethod(),
    freshMethod,
    payer,
    invoice: await makeInvoice(florin, as, payer, {
      lines: [{ description: 'x', quantity: 1, unitAmount: 1_000_000 }],
    }),
    clock: dataOf(
      await florin.post('/api/clock/create', { name: 'x', nowTime: '2027-01-31T00:00:00Z', livemode: true }, as),
    ).id,
    freshDraft: () => makeDraft(florin, as, payer),
    openInvoice: await makeInvoice(florin, as, await makeCustomer(florin, as, { email: 'payer@example.com' })),
    plan,
    subscription: await freshSubscription(),
    freshSubscription,
    checkout: dataOf(
      await florin.post('/api/checkout/create', { amount: 1, currency: 'USD', channelIds: [channel] }, as),
    ).id,
    channel,
    transaction,
    event: transaction.replace('txn_', 'evt_'),
    ...(await makeTold(as)),
    paid,
    refund: dataOf(await florin.post('/api/refund/create', { transactionId: paid, amount: 1 }, as)).id,
    user,
    tenant,
    key: (await makeKey(florin, as)).id,
    passkey: await insertPasskey(user.id),
  };
}

/** Live channels here have no provider that keeps methods. */
async function insertMethod(payer: number, channel: number): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into payment_method (tenant_id, id, livemode, customer_id, channel_id, provider, type, agreement, status,
                                 reference_sealed, created_at, updated_at)
     select tenant_id, gen_random_uuid(), true, id, $2, 'sandbox', 'card', 'SUBSCRIPTION', 'ACTIVE', '\\x00',
            now(), now()
       from customer where id = $1
     returning 'mtd_' || replace(id::text, '-', '') as id`,
    [payer, channel],
  );
  return (row as { id: string }).id;
}

async function insertPasskey(userId: number): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into passkey (id, user_id, credential_id, public_key, counter, transports, name, backed_up, created_at)
     values (gen_random_uuid(), $1, sha256(gen_random_uuid()::text::bytea), '', 0, '{}', 'Phone', false, now())
     returning id`,
    [userId],
  );
  return (row as { id: string }).id;
}

async function openDiscrepancy(payment: string): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into discrepancy (tenant_id, transaction_id, number, channel_id, said, state, due_at, opened_at)
     select tenant_id, id, 1, channel_id, 'failed', 'OPEN', 'infinity', now() from transaction where id = $1
         on conflict (tenant_id, transaction_id, number) do update set state = 'OPEN', closed_at = null,
             closed_by = null
     returning 'dcp_' || replace(id::text, '-', '') as id`,
    [payment.replace('txn_', '')],
  );
  return row?.id ?? `dcp_${'0'.repeat(32)}`;
}

/** A dispute about a payment that is LOST. */
async function openDispute(payment: string): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `with made as (
       insert into dispute (tenant_id, id, transaction_id, channel_id, livemode, provider, provider_reference, stage,
                            status, amount, currency, reason, closed_at, actions, evidence_fields, defense_reasons,
                            evidence, amount_withdrawn, amount_unpaid, read_at, version, created_at, updated_at)
       select tenant_id, gen_random_uuid(), id, channel_id, livemode, 'sandbox', 'dp_1', 'CHARGEBACK', 'LOST', amount,
              currency, 'other', now(), '[]', '[]', '[]', '{}', 0, 0, now(), 1, now(), now()
         from transaction where id = $1
       on conflict do nothing
       returning id
     )
     select 'dsp_' || replace(id::text, '-', '') as id from (
       select id from made
        union all
       select id from dispute where transaction_id = $1
     ) as found`,
    [payment.replace('txn_', '')],
  );
  return row?.id ?? `dsp_${'0'.repeat(32)}`;
}

async function makeTold(as: string): Promise<Pick<Records, 'webhook' | 'delivery' | 'replay' | 'inbox' | 'token'>> {
  const webhook = await makeWebhook(as);
  const { deliveryId } = dataOf(await florin.post('/api/webhook/test', { id: webhook }, as));
  const again = { endpointId: webhook, since: '2020-01-01T00:00:00Z' };
  const { replayId } = dataOf(await florin.post('/api/webhook/replay', again, as));
  const { id: inbox, token } = dataOf(await florin.post('/api/inbox/create', {}, as));
  return { webhook, delivery: deliveryId, replay: replayId, inbox, token };
}

async function makeWebhook(as: string): Promise<number> {
  const input = { url: 'http://127.0.0.1:9/hook', events: ['transaction.refunded'], secret: 'our shared secret' };
  return dataOf(await florin.post('/api/webhook/register', input, as)).id;
}

/** Callers without valid credentials. */
async function unauthenticatedCallers(admin: string, one: number): Promise<Caller[]> {
  const someone = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: one });
  const revoked = await makeKey(florin, someone.as, '*');
  dataOf(await florin.post('/api/developer/mine/revoke', { id: revoked.id }, someone.as));
  const ended = await login(someone.userName, memberPassword);
  dataOf(await florin.post('/api/user/logout', undefined, `Bearer ${ended.token.accessToken}`));
  const disabled = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: one });
  const keyOfDisabled = await makeKey(florin, disabled.as, '*');
  const { id, userName } = disabled;
  const switchedOff = { id, userName, email: `${userName}@example.com`, userType: 'MERCHANT_ADMIN', state: false };
  dataOf(await florin.post('/api/user/modify', switchedOff, admin));
  const live = await login(someone.userName, memberPassword);
  aheadMs = -8 * 86_400_000;
  const expired = await login(someone.userName, memberPassword);
  const expiresTime = new Date(Date.now() - 86_400_000).toISOString();
  const expiredKey = await generate({ scope: '*', expiresTime }, `Bearer ${expired.token.accessToken}`);
  aheadMs = 0;
  const closed = await makeTenant(florin, admin);
  const former = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: closed });
  const keyOfFormer = await makeKey(florin, former.as, '*');
  dataOf(await florin.post('/api/tenant/modify', { id: closed, name: unique('Closed'), state: false }, admin));
  const strictTenant = await makeTenant(florin, admin);
  const unenrolled = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId: strictTenant });
  const required = { id: strictTenant, secondFactorRequired: true };
  dataOf(await florin.post('/api/tenant/modify', required, admin));
  const elsewhere = await generate({ scope: '*', allowedAddresses: ['192.0.2.0/24'] }, someone.as);
  return [
    { name: 'nobody', as: undefined },
    { name: 'a garbage token', as: 'Bearer garbage' },
    { name: 'a scheme without credentials', as: 'Bearer' },
    { name: 'another scheme', as: `Basic ${Buffer.from(`admin:${administratorPassword}`).toString('base64')}` },
    { name: 'a token without a signature', as: `Bearer ${unsigned(live.token.accessToken)}` },
    { name: 'a token changed by one letter', as: `Bearer ${bent(live.token.accessToken)}` },
    { name: 'a refresh token', as: `Bearer ${live.token.refreshToken}` },
    { name: 'a token sent as a key', as: `ApiKey ${live.token.accessToken}` },
    { name: 'a session that was logged out', as: `Bearer ${ended.token.accessToken}`, ended: true },
    { name: 'a session that has expired', as: `Bearer ${expired.token.accessToken}` },
    { name: 'an unknown key', as: `ApiKey sk_live_${'A'.repeat(32)}` },
    { name: 'a key sent as a token', as: `Bearer ${keyOfDisabled.sk}` },
    { name: 'a revoked key', as: revoked.as },
    { name: 'a key of a user switched off', as: keyOfDisabled.as },
    { name: 'a session of a user switched off', as: disabled.as, ended: true },
    { name: 'a key that has expired', as: expiredKey },
    { name: 'a key of a tenant switched off', as: keyOfFormer.as },
    { name: 'a session of a tenant switched off', as: former.as, ended: true },
    { name: 'a key for another address', as: elsewhere, refusedWith: 'address_not_allowed' },
    { name: 'a session that has to enrol', as: unenrolled.as, refusedWith: 'second_factor_not_enrolled' },
  ];
}

async function generate(input: object, as: string): Promise<string> {
  return `ApiKey ${dataOf(await florin.post('/api/developer/mine/generate', input, as)).sk}`;
}

/** Callers with valid credentials: users of every type and role, and keys of every scope. */
async function authenticatedCallers(admin: string, adminOfOne: Member, one: number): Promise<Caller[]> {
  const merchant = (by: 'session' | 'key', held: readonly string[], userType = 'MERCHANT_USER') =>
    ({ by, userType, tenant: 'one', scopes: held }) as const;
  const platform = (by: 'session' | 'key') =>
    ({ by, userType: 'PLATFORM_ADMIN', tenant: 'platform', scopes: scopes }) as const;
  const user = (roles: string[]) => makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId: one, roles });
  const viewer = await user(['viewer']);
  const known: Caller[] = [
    { name: 'a user without roles', as: (await user([])).as, known: merchant('session', []) },
    { name: 'a viewer', as: viewer.as, known: merchant('session', reads) },
    { name: 'a cashier', as: (await user(['cashier'])).as, known: merchant('session', cashierScopes) },
    { name: 'an operator', as: (await user(['operator'])).as, known: merchant('session', operatorScopes) },
    { name: 'a merchant administrator', as: adminOfOne.as, known: merchant('session', scopes, 'MERCHANT_ADMIN') },
    { name: 'a platform administrator', as: admin, known: platform('session') },
    {
      name: "a viewer's key, granted more than the viewer holds",
      as: (await makeKey(florin, viewer.as)).as,
      known: merchant('key', ['transaction_read', 'user_read']),
    },
    {
      name: "a merchant administrator's key for everything",
      as: (await makeKey(florin, adminOfOne.as, '*')).as,
      known: merchant('key', scopes, 'MERCHANT_ADMIN'),
    },
    {
      name: "a platform administrator's key for everything",
      as: (await makeKey(florin, admin, '*')).as,
      known: platform('key'),
    },
    {
      name: "a platform administrator's key for invoice_read alone",
      as: (await makeKey(florin, admin, 'invoice_read')).as,
      known: { ...platform('key'), scopes: ['invoice_read'], isLimited: true },
    },
    {
      name: "a platform administrator's key that names every scope",
      as: (await makeKey(florin, admin, scopes.join(','))).as,
      known: { ...platform('key'), isLimited: true },
    },
  ];
  for (const scope of scopes) {
    const { as } = await makeKey(florin, adminOfOne.as, scope);
    known.push({
      name: `a key for ${scope} alone`,
      as,
      known: { ...merchant('key', [scope], 'MERCHANT_ADMIN'), isLimited: true },
    });
    const others = scopes.filter((other) => other !== scope);
    known.push({
      name: `a key for everything but ${scope}`,
      as: (await makeKey(florin, adminOfOne.as, others.join())).as,
      without: scope,
      known: { ...merchant('key', others, 'MERCHANT_ADMIN'), isLimited: true },
    });
  }
  const account = { account: adminOfOne.userName, password: memberPassword };
  const signedIn = await florin.call('POST', '/api/console/session', { body: account, headers: fromConsole() });
  known.push({
    name: 'a merchant administrator in the console',
    as: undefined,
    cookie: String(signedIn.headers.get('set-cookie')).split(';')[0] as string,
    maker: adminOfOne.as,
    known: merchant('session', scopes, 'MERCHANT_ADMIN'),
  });
  return known;
}

async function login(account: string, password: string) {
  return dataOf(await florin.post('/api/user/login', { account, password }));
}

function unsigned(token: string): string {
  const [, payload] = token.split('.');
  return `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`;
}

function bent(token: string): string {
  const at = token.lastIndexOf('.') + 3;
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
}

/** What a session may do that has to enrol a second factor first, tested by second-factor.test.ts. */
const openBeforeEnrolment = new Set(
  allRoutes
    .filter(({ needs }) => ['enrolment', 'visitor', 'token'].includes(String(needs)))
    .map(({ method, path }) => `${method} ${path}`),
);

test('a session that has to enrol may do that, and log out, and nothing else', () => {
  expect([...openBeforeEnrolment].toSorted()).toEqual([
    'GET /api/console/session',
    'GET /api/user/info',
    'GET /api/user/passkey/list',
    'GET /api/user/second-factor',
    'POST /api/user/logout',
    'POST /api/user/passkey/begin',
    'POST /api/user/passkey/register',
    'POST /api/user/second-factor/begin',
    'POST /api/user/second-factor/confirm',
  ]);
});

const routes = allRoutes.map(({ method, path }) => `${method} ${path}`);

/** What the OpenAPI document says of an operation about its callers. */
interface Declared {
  security: Record<'bearer' | 'apiKey' | 'console', string[]>[];
  'x-required-scope'?: string;
  'x-required-user-types'?: string[];
}

type Needed = Pick<Case, 'needs' | 'administrators' | 'alsoWhenEnded'>;

const declared: Record<string, Declared> = {};

beforeAll(async () => {
  const { body } = await florin.get('/openapi.json');
  for (const [path, operations] of Object.entries<Record<string, Declared>>(body.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      declared[`${method.toUpperCase()} ${path}`] = operation;
    }
  }
});

test('the matrix has every endpoint, and no other', () => {
  expect(Object.keys(cases).sort()).toEqual(routes.toSorted());
});

test('the OpenAPI document declares for each operation what the decisions say, and no others', () => {
  const decided = Object.entries(cases).map(([route, { needs, administrators, alsoWhenEnded }]) => [
    route,
    { needs, ...(administrators && { administrators }), ...(alsoWhenEnded && { alsoWhenEnded }) },
  ]);
  const read = Object.entries(declared).map(([route, operation]) => [route, neededFor(operation)]);
  const others = ['GET /health/live', 'GET /health/ready'].map((route) => [route, { needs: 'nothing' }]);
  expect(Object.fromEntries(read)).toEqual(Object.fromEntries([...decided, ...others]));
});

/** What a caller needs, by the document. Further scopes, which only the request or the record names, are not in it. */
function neededFor(operation: Declared): Needed {
  const kinds = operation.security.flatMap((one) => Object.keys(one)).join();
  const types = operation['x-required-user-types'];
  const scope = operation['x-required-scope'];
  if (kinds === '') return { needs: 'nothing' };
  if (kinds === 'bearer') return { needs: 'session', alsoWhenEnded: true };
  if (kinds === 'bearer,console' && operation.security.length === 3) return { needs: 'visitor' };
  if (kinds === 'bearer,console') return { needs: 'session', ...(types && { administrators: true }) };
  if (kinds === 'apiKey') return { needs: 'key' };
  if (types !== undefined) return { needs: types.length === 1 ? 'PLATFORM_ADMIN' : 'ADMIN' };
  return { needs: scope ?? 'known' };
}

/** One of each kind, at every endpoint: no credentials, users by type and role, a key, the console. */
const everywhere = new Set([
  'nobody',
  'a user without roles',
  'a viewer',
  'a merchant administrator',
  'a platform administrator',
  "a merchant administrator's key for everything",
  'a merchant administrator in the console',
]);
const othersAtEach = 1;

/**
 * In a campaign all callers; otherwise one of each kind, the keys that have only the needed scope or every other one,
 * and a few of the others, who take turns.
 */
function callersAt(route: string, needs: string): Caller[] {
  const able = callers.filter(({ without }) => without === undefined || without === needs);
  if (isCampaign) return able;
  const isAlways = ({ name, without }: Caller) =>
    without !== undefined || everywhere.has(name) || name === `a key for ${needs} alone`;
  const others = able.filter((caller) => !isAlways(caller));
  const first = routes.indexOf(route) * othersAtEach;
  const inTurn = new Set(Array.from({ length: othersAtEach }, (_, i) => others[(first + i) % others.length]));
  return able.filter((caller) => isAlways(caller) || inTurn.has(caller));
}

/**
 * In a campaign all; otherwise a refusal that reads no record, because the caller lacks credentials or a permission, is
 * asked for once.
 */
function ownershipsAt(one: Case, caller: Caller): Ownership[] {
  const statuses = new Set(one.ownerships.map((ownership) => expectedStatus(one, caller, ownership)));
  const isRefusedAnyway = statuses.size === 1 && (statuses.has(401) || statuses.has(403));
  return isRefusedAnyway && !isCampaign ? one.ownerships.slice(0, 1) : one.ownerships;
}

/** Routes that change something and leave no entry in the audit log here, each with the reason. */
const unaudited: Record<string, string> = {
  'POST /api/transaction/create':
    'The payment names its creator and has a timeline; an entry each would slow the batch.',
  'POST /api/user/refresh': 'Goes on with a session whose login is recorded.',
  'POST /api/user/forgot-password': 'Recorded after the answer, for known addresses: audit.test.ts.',
  'POST /api/user/reset-password': 'Recorded with a mailed token: audit.test.ts.',
  'POST /api/user/change-password': 'Refused here; recorded with the present password: own-sessions.test.ts.',
  'POST /api/user/login/second-factor': 'Refused here; recorded with a challenge: second-factor.test.ts.',
  'POST /api/console/session/second-factor': 'Refused here; recorded with a challenge: console.test.ts.',
  'POST /api/console/session/passkey': 'Refused here; recorded with a passkey: passkeys.test.ts.',
  'POST /api/user/login/passkey': 'Refused here; recorded with a passkey: passkeys.test.ts.',
  'POST /api/user/login/passkey/begin': 'Changes nothing.',
  'POST /api/user/passkey/begin': 'Changes nothing.',
  'POST /api/user/passkey/register': 'Refused here; recorded with a passkey: passkeys.test.ts.',
  'POST /api/user/passkey/modify': "Refused here; recorded for the caller's own: passkeys.test.ts.",
  'POST /api/user/passkey/remove': "Refused here; recorded for the caller's own: passkeys.test.ts.",
  'POST /api/user/step-up/passkey/begin': 'Changes nothing.',
  'POST /api/view/modify': 'How a list looks to its user: nobody else sees it.',
  'POST /api/view/remove': 'How a list looks to its user: nobody else sees it.',
  'POST /api/user/step-up/passkey': 'Refused here; recorded with a passkey: passkeys.test.ts.',
  'POST /api/user/second-factor/begin': 'Changes nothing until it is confirmed.',
  'POST /api/user/second-factor/confirm': 'Refused here; recorded with a code: second-factor.test.ts.',
  'POST /api/user/second-factor/recovery-codes': 'Refused here; recorded with a code: second-factor.test.ts.',
  'POST /api/user/second-factor/remove': 'Refused here; recorded with a code: second-factor.test.ts.',
  'POST /api/user/second-factor/revoke': 'Refused here; recorded where there is one: second-factor.test.ts.',
  'POST /api/user/step-up': 'Refused here; recorded with a code: second-factor.test.ts.',
  'POST /api/device/code': 'Changes nothing until it is approved.',
  'POST /api/device/token': 'Refused here; recorded with an approved code: device-login.test.ts.',
  'POST /api/device/decide': 'Names a code of nobody; recorded for a login that waits: device-login.test.ts.',
  'POST /api/session/revoke': "Names a session of nobody; recorded for the caller's own: own-sessions.test.ts.",
  'POST /api/payment-method/setup': 'Refused here: methods.test.ts.',
  'POST /api/dispute/evidence': 'The disputes here have ended: disputes.test.ts.',
  'POST /api/dispute/file': 'The disputes here have ended: disputes.test.ts.',
  'POST /api/dispute/submit': 'The disputes here have ended: disputes.test.ts.',
  'POST /api/dispute/accept': 'The disputes here have ended: disputes.test.ts.',
  'POST /api/transaction/capture': 'The payments here are not authorized: captures.test.ts.',
  'POST /api/transaction/release': 'The payments here are not authorized: captures.test.ts.',
  'POST /api/webhook/replay': 'The deliveries here are still open, so nothing is replayed: audit.test.ts.',
  'POST /api/callback/{channel}': 'Sent by a provider, and stored as it is.',
  'POST /api/callback/{channel}/{token}': 'Sent by a provider, and stored as it is.',
  'POST /inbox/{token}': 'Sent by another system, and stored as it is.',
};

async function hasAuditEntry(requestIds: readonly string[]): Promise<boolean> {
  const found = await db.query(`select from audit_entry where body::json->>'requestId' = any ($1::text[]) limit 1`, [
    requestIds,
  ]);
  return found.length > 0;
}

test('every route without an audit entry is a route', () => {
  expect(routes).toEqual(expect.arrayContaining(Object.keys(unaudited)));
});

describe('each endpoint grants callers exactly what they may do, and a change leaves an audit entry', campaign, () => {
  test.each(Object.keys(cases))('%s', async (route) => {
    const { needs: _needs, administrators: _administrators, alsoWhenEnded: _ended, ...rest } = cases[route] as Case;
    const one: Case = { ...rest, ...neededFor(declared[route] as Declared) };
    const wrong: string[] = [];
    const granted: string[] = [];
    for (const caller of callersAt(route, one.needs)) {
      if (caller.refusedWith === 'second_factor_not_enrolled' && openBeforeEnrolment.has(route)) continue;
      const notFound: Record<string, unknown> = {};
      for (const ownership of ownershipsAt(one, caller)) {
        const called = await call(route, caller, ownership);
        const { reply } = called;
        if (reply.status === 200) granted.push(reply.headers.get('x-request-id') as string);
        if (reply.status === 404) notFound[ownership] = outsideView(called);
        const faults = faultsOf(reply, expectedStatus(one, caller, ownership), one, caller);
        wrong.push(...faults.map((fault) => `${caller.name}, ${ownership}: ${fault} ${JSON.stringify(reply.body)}`));
      }
      // A caller who may not see a record must not learn that it exists.
      if ('foreign' in notFound) expect(notFound.foreign, caller.name).toEqual(notFound.absent);
    }
    expect(wrong).toEqual([]);
    if (route.startsWith('POST')) expect(await hasAuditEntry(granted)).toBe(!Object.hasOwn(unaudited, route));
  });
});

describe("another tenant's record is refused like a record that does not exist", () => {
  test('GET /api/transaction/list narrowed by a channel or a user', async () => {
    const { as } = callers.find(({ name }) => name === "a merchant administrator's key for everything") as Caller;
    for (const [filter, ids] of Object.entries({
      channelId: [records.two.channel, records.absent.channel],
      userId: [records.two.user.id, records.absent.user.id],
    })) {
      for (const id of ids) {
        const { status, body } = await florin.get(`/api/transaction/list?${filter}=${id}`, as);
        expect({ status, body }).toEqual({
          status: 200,
          body: {
            code: 200,
            data: [],
            pagination: { page: 1, pageSize: 20, total: 0, totalPages: 0, nextCursor: null },
          },
        });
      }
    }
  });
});

describe('lists contain exactly what the caller may see', () => {
  test('sums of its own tenant, or of all for a platform administrator', async () => {
    const channels = async (who: string) =>
      dataOf(await florin.get('/api/statistics/summary', who)).channels.map(
        ({ channelId }: { channelId: number }) => channelId,
      );
    expect(await channels(as)).toContain(records.one.channel);
    expect(await channels(as)).not.toContain(records.two.channel);
    expect(await channels(admin)).toEqual(expect.arrayContaining([records.one.channel, records.two.channel]));
  });

  let as: string;
  let admin: string;

  beforeAll(async () => {
    admin = await administratorOf(florin);
    as = (callers.find(({ name }) => name === "a merchant administrator's key for everything") as Caller).as as string;
  });

  test('transactions of its own tenant, or of all for a platform administrator', async () => {
    const seen = async (who: string) => {
      const { totalPages } = (await florin.get('/api/transaction/list?pageSize=100', who)).body.pagination;
      const pages = Array.from({ length: totalPages }, (_, i) => `/api/transaction/list?pageSize=100&page=${i + 1}`);
      return (await Promise.all(pages.map((page) => florin.get(page, who)))).flatMap(idsOf);
    };
    expect(await seen(as)).toContain(records.one.transaction);
    expect(await seen(as)).not.toContain(records.two.transaction);
    expect(await seen(as)).not.toContain(records.platform.transaction);
    expect(await seen(admin)).toEqual(
      expect.arrayContaining([records.one.transaction, records.two.transaction, records.platform.transaction]),
    );
  });

  test('refunds of its own tenant, or of all', async () => {
    const refundsOf = async (who: string, { paid }: Records) =>
      idsOf(await florin.get(`/api/refund/list?pageSize=100&transactionId=${paid}`, who));
    expect(await refundsOf(as, records.one)).toContain(records.one.refund);
    expect(await refundsOf(as, records.two)).toEqual([]);
    expect(await refundsOf(admin, records.two)).toContain(records.two.refund);
  });

  test('entries of its own tenant, or of all', async () => {
    const booked = async (who: string, { paid }: Records) =>
      dataOf(await florin.get(`/api/ledger/entries?transactionId=${paid}`, who)).length > 0;
    expect(await booked(as, records.one)).toBe(true);
    expect(await booked(as, records.two)).toBe(false);
    expect(await booked(admin, records.two)).toBe(true);
  });

  test("channels of its own tenant and the platform's, or of all", async () => {
    const seen = async (who: string) => idsOf(await florin.get('/api/channel/list', who));
    expect(await seen(as)).toEqual(expect.arrayContaining([records.one.channel, records.platform.channel]));
    expect(await seen(as)).not.toContain(records.two.channel);
    expect(await seen(admin)).toEqual(expect.arrayContaining([records.one.channel, records.two.channel]));
  });

  test('users of its own tenant, or of all', async () => {
    const seen = async (who: string) => idsOf(await florin.get('/api/user/list?pageSize=100', who));
    expect(await seen(as)).toContain(records.one.user.id);
    expect(await seen(as)).not.toContain(records.two.user.id);
    expect(await seen(admin)).toEqual(expect.arrayContaining([records.one.user.id, records.two.user.id]));
  });

  test('keys of their owner only', async () => {
    expect(idsOf(await florin.get('/api/developer/mine', admin))).toContain(records.platform.key);
    expect(idsOf(await florin.get('/api/developer/mine', admin))).not.toContain(records.one.key);
  });
});

describe('channels of the platform', () => {
  test('accept payments of every tenant, and only the platform changes them', async () => {
    const { as } = callers.find(({ name }) => name === "a merchant administrator's key for everything") as Caller;
    const channelId = records.platform.channel;
    const paid = await florin.post('/api/transaction/create', { amount: 5, currency: 'USD', channelId }, as);
    expect(paid.status).toBe(200);
    const changed = await florin.post('/api/channel/modify', channelInput({ id: channelId }), as);
    expect(changed.status).toBe(404);
  });
});

describe('a caller who may change webhooks may subscribe exactly to the events it may read', () => {
  const readScopeOf = {
    'transaction.*': ['transaction_read'],
    'invoice.paid': ['invoice_read'],
    'subscription.expired': ['subscription_read'],
    'customer.*': ['transaction_read'],
    'channel.disabled': ['channel_read'],
    'webhook.disabled': ['webhook_read'],
    '*': ['transaction_read', 'invoice_read', 'subscription_read', 'channel_read', 'webhook_read'],
  };

  test.each(Object.entries(readScopeOf))('%s', async (event, needed) => {
    const body = { url: 'http://127.0.0.1:9/hook', events: [event], secret: 'a secret of tests' };
    const admin = await administratorOf(florin);
    const statusOf = async (scope: string) =>
      (await florin.post('/api/webhook/register', body, (await makeKey(florin, admin, scope)).as)).status;
    expect(await statusOf(['webhook_write', ...needed].join())).toBe(200);
    expect(await statusOf(needed.join())).toBe(403);
    for (const one of needed) {
      const others = scopes.filter((scope) => scope !== one);
      expect({ one, status: await statusOf(others.join()) }).toEqual({ one, status: 403 });
    }
  });
});

interface Called {
  reply: Reply;
  id: string | number | undefined;
}

async function call(route: string, caller: Caller, ownership: Ownership): Promise<Called> {
  const [method, path] = route.split(' ') as ['GET' | 'POST', string];
  const home = caller.known?.tenant ?? 'one';
  const whose = ownership === 'absent' ? 'absent' : ownership !== 'foreign' ? home : home === 'one' ? 'two' : 'one';
  const {
    params,
    query,
    body,
    headers: given,
    id,
  } = await (cases[route] as Case).request(records[whose], caller, ownership);
  const headers = caller.cookie === undefined ? given : { ...given, ...fromConsole(), cookie: caller.cookie };
  const address = path.replaceAll(/\{(\w+)\}/g, (_all, name) => String(params?.[name]));
  const search = query === undefined ? '' : `?${new URLSearchParams(query as Record<string, string>)}`;
  return {
    reply: await florin.call(method, address + search, { as: caller.as, body, ...(headers && { headers }) }),
    id,
  };
}

function expectedStatus(one: Case, caller: Caller, ownership: Ownership): number {
  const { needs, administrators, acrossTenants, needsOfRecord, answers = 200, alsoWhenEnded } = one;
  const { known, ended } = caller;
  if (needs === 'nothing' || (alsoWhenEnded && ended)) return answers;
  if (alsoWhenEnded && (caller.cookie !== undefined || caller.refusedWith !== undefined)) return 401;
  if (caller.refusedWith !== undefined) return 403;
  const isNobody = caller.as === undefined && caller.cookie === undefined;
  if (needs === 'visitor' && isNobody) return answers;
  if (known === undefined) return 401;
  const by = needs === 'visitor' ? 'session' : needs;
  if ((by === 'session' || by === 'key') && known.by !== by) return 401;
  if ((administrators || needs === 'ADMIN') && known.userType === 'MERCHANT_USER') return 403;
  if (needs === 'PLATFORM_ADMIN' && known.userType !== 'PLATFORM_ADMIN') return 403;
  const reachesAll = acrossTenants && known.userType === 'PLATFORM_ADMIN';
  const isAbsent = ownership === 'absent' || (ownership === 'foreign' && !reachesAll);
  if (missingScope(one, caller) !== undefined) return 403;
  if (isAbsent) return 404;
  return needsOfRecord !== undefined && !known.scopes.includes(needsOfRecord) ? 403 : answers;
}

function missingScope({ needs, alsoNeeds = [] }: Case, { known }: Caller): string | undefined {
  if (needs === 'ADMIN' || needs === 'PLATFORM_ADMIN') return known?.isLimited ? '*' : undefined;
  const needed = [needs, ...alsoNeeds].filter((scope) => scopes.includes(scope as never));
  return needed.find((scope) => !known?.scopes.includes(scope));
}

function faultsOf({ status, body, headers }: Reply, expected: number, one: Case, caller: Caller): string[] {
  const { needs, alsoWhenEnded } = one;
  const { as, cookie } = caller;
  if (status !== expected) return [`${status} instead of ${expected}`];
  const type = body.error?.type;
  if (status === 401) {
    const isGiven = as !== undefined || (cookie !== undefined && !alsoWhenEnded);
    const right = !isGiven ? 'credentials_missing' : 'credentials_invalid';
    return [
      ...(type === right ? [] : [`type ${type} instead of ${right}`]),
      ...(headers.has('www-authenticate') ? [] : ['no WWW-Authenticate']),
    ];
  }
  if (status !== 403) return [];
  if (caller.refusedWith !== undefined) return type === caller.refusedWith ? [] : [`type ${type}`];
  const isRefusedByType =
    one.administrators ||
    (needs === 'PLATFORM_ADMIN' && caller.known?.userType !== 'PLATFORM_ADMIN') ||
    (needs === 'ADMIN' && caller.known?.userType === 'MERCHANT_USER');
  if (isRefusedByType) return type === 'role_missing' ? [] : [`type ${type} instead of role_missing`];
  const missing = missingScope(one, caller) ?? one.needsOfRecord;
  const names =
    type === 'scope_missing' && body.message.includes(missing as string) && body.error.details.scope === missing;
  return names ? [] : ['the missing scope is not named'];
}

/** All that a caller can see of a reply, without what must differ: what they asked for, and the request's own id. */
function outsideView({ reply: { status, headers, body }, id }: Called) {
  const text = JSON.stringify({ ...body, error: { ...body.error, requestId: '' } });
  return {
    status,
    headers: [...headers.keys()].filter((name) => name !== 'connection' && name !== 'keep-alive'),
    text: text.replace(new RegExp(`\\b${id}\\b`, 'g'), 'ID'),
  };
}

function idsOf(reply: Reply): (string | number)[] {
  return dataOf(reply).map(({ id }: { id: string | number }) => id);
}
