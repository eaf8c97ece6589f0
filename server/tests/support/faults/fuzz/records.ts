import { makeCustomer, makeDraft, makeInvoice } from '../../billing/invoices.ts';
import {
  administratorOf,
  dataOf,
  type Member,
  makeChannel,
  makeKey,
  makeMember,
  makePaid,
  makePayment,
  makeTenant,
} from '../../factories.ts';
import { makeProviderChannel } from '../../payments/callbacks.ts';
import type { FlorinClient } from '../../service/florin.ts';

/** Records of every kind, which generated requests refer to. */
export interface FuzzRecords {
  channelId: number;
  providerChannelId: number;
  transactionIds: string[];
  paidIds: string[];
  refundIds: string[];
  tenantId: number;
  member: Member;
  keyId: number;
  webhooks: { webhookId: number; deliveryId: string; replayId: string; inboxId: number; token: string };
  draftIds: number[];
  invoiceIds: number[];
  clockId: number;
  customerId: number;
  planId: number;
  subscriptionIds: number[];
}

export interface Prepared {
  records: FuzzRecords;
  /** The Authorization headers that are drawn from; more likely ones are repeated. */
  credentials: (string | undefined)[];
  /** The Authorization header of requests that log out: the others must stay valid. */
  logoutCredential: string;
  /** Replaces credentials that generated requests have ended, for example by changing a password or revoking a key. */
  renew: () => Promise<void>;
}

export async function prepare(florin: FlorinClient): Promise<Prepared> {
  const admin = await administratorOf(florin);
  const tenantId = await makeTenant(florin, admin);
  const merchant = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const member = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId });
  const viewer = await makeMember(florin, admin, { userType: 'MERCHANT_USER', tenantId, roles: ['viewer'] });
  const channelId = await makeChannel(florin, admin);
  const providerChannelId = await makeProviderChannel(florin, admin);
  const transactionIds = await Promise.all(Array.from({ length: 40 }, () => makePayment(florin, admin, channelId)));
  const paidIds = await Promise.all(Array.from({ length: 20 }, () => makePaid(florin, admin, channelId)));
  const refunds = paidIds.map((paid) => florin.post('/api/refund/create', { transactionId: paid, amount: 1 }, admin));
  const refundIds = (await Promise.all(refunds)).map((reply) => dataOf(reply).id);
  const webhooks = await makeWebhooks(florin, admin);
  const customerId = await makeCustomer(florin, admin, { defaultChannelId: channelId });
  const draftIds = await Promise.all(Array.from({ length: 40 }, () => makeDraft(florin, admin, customerId)));
  const invoiceIds = await Promise.all(Array.from({ length: 20 }, () => makeInvoice(florin, admin, customerId)));
  const clockId = dataOf(await florin.post('/api/clock/create', { name: 'x' }, admin)).id;
  const plan = { name: 'Gold', currency: 'USD', amount: 1999, interval: 'month', state: true };
  const planId = dataOf(await florin.post('/api/plan/modify', plan, admin)).id;
  const subscriptions = Array.from({ length: 30 }, () =>
    florin.post('/api/subscription/create', { customerId, planId }, admin),
  );
  const subscriptionIds = (await Promise.all(subscriptions)).map((reply) => dataOf(reply).id);
  const key = await makeKey(florin, admin, '*');
  const callers = [admin, admin, admin, key.as, key.as, merchant.as, viewer.as];
  const credentials = [...callers, ...callers, undefined, 'Bearer a.b.c', `ApiKey sk_live_${'x'.repeat(32)}`];
  const renewals = new Map<string, (as: string) => Promise<string>>([
    [admin, () => administratorOf(florin)],
    [key.as, async (as) => (await makeKey(florin, as, '*')).as],
    [merchant.as, async (as) => (await makeMember(florin, as, { userType: 'MERCHANT_ADMIN', tenantId })).as],
    [
      viewer.as,
      async (as) => (await makeMember(florin, as, { userType: 'MERCHANT_USER', tenantId, roles: ['viewer'] })).as,
    ],
  ]);
  const renew = async () => {
    for (const [ended, again] of [...renewals]) {
      if ((await florin.get('/api/session/list', ended)).status !== 401) continue;
      const renewed = await again(credentials[0] as string);
      renewals.delete(ended);
      renewals.set(renewed, again);
      credentials.forEach((one, at) => {
        if (one === ended) credentials[at] = renewed;
      });
    }
  };
  const logoutCredential = await administratorOf(florin);
  const records = {
    channelId,
    providerChannelId,
    transactionIds,
    paidIds,
    refundIds,
    tenantId,
    member,
    keyId: key.id,
    webhooks,
    draftIds,
    invoiceIds,
    clockId,
    customerId,
    planId,
    subscriptionIds,
  };
  return { records, credentials, logoutCredential, renew };
}

async function makeWebhooks(florin: FlorinClient, as: string): Promise<FuzzRecords['webhooks']> {
  const hook = { url: 'http://127.0.0.1:9/', events: ['transaction.refunded'], secret: 'a secret of tests' };
  const { id: webhookId } = dataOf(await florin.post('/api/webhook/register', hook, as));
  const { deliveryId } = dataOf(await florin.post('/api/webhook/test', { id: webhookId }, as));
  const again = { endpointId: webhookId, since: '2020-01-01T00:00:00Z' };
  const { replayId } = dataOf(await florin.post('/api/webhook/replay', again, as));
  const { id: inboxId, token } = dataOf(await florin.post('/api/inbox/create', {}, as));
  return { webhookId, deliveryId, replayId, inboxId, token };
}
