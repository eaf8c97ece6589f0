import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const channelCode = 'demo';
const settleWithinMs = 10_000;

/**
 * Creates demo data through the API of a running service and returns a summary. Does nothing when it is there already.
 */
export async function createDemoData(address: string, account = 'admin', password = passwordOf()): Promise<string> {
  const login = await call<{ token: { accessToken: string } }>(address, '/api/user/login', { account, password });
  const api = <Data>(path: string, body?: object) => call<Data>(address, path, body, login.token.accessToken);

  const channels = await api<{ id: number; code: string }[]>('/api/channel/list');
  if (channels.some(({ code }) => code === channelCode)) return 'The demo data is there already.';

  const channel = await api<{ id: number }>('/api/channel/modify', {
    name: 'Demo sandbox',
    code: channelCode,
    type: 'ONLINE',
    currency: 'USD',
    country: 'US',
    state: true,
    provider: 'sandbox',
  });
  const customer = await api<{ id: number }>('/api/customer/modify', {
    name: 'Ada Example',
    email: 'ada@example.com',
    defaultChannelId: channel.id,
    paymentMethod: 'sandbox:succeed',
  });
  const pay = (amount: number, description: string, metadata = {}) =>
    api<{ id: string }>('/api/transaction/create', {
      amount,
      currency: 'USD',
      channelId: channel.id,
      customerId: customer.id,
      description,
      metadata,
    });
  const paid = await pay(1999, 'A payment that succeeds and is refunded in part');
  await pay(4500, 'A payment that succeeds');
  await pay(2500, 'A payment that is declined', { sandbox: 'decline:insufficient_funds' });

  const plan = await api<{ id: number }>('/api/plan/modify', {
    name: 'Demo plan',
    currency: 'USD',
    amount: 3100,
    interval: 'month',
    livemode: false,
    state: true,
  });
  await api('/api/subscription/create', { customerId: customer.id, planId: plan.id });

  await settled(() => api<{ status: string }>(`/api/transaction/detail?id=${paid.id}`));
  await api('/api/refund/create', { transactionId: paid.id, amount: 500, reason: 'Demo' });
  return 'Demo data: the channel "demo", a customer, three payments, a refund and a subscription.';
}

/** Waits until the worker has charged the payment: only then can it be refunded. */
async function settled(read: () => Promise<{ status: string }>): Promise<void> {
  for (const deadline = Date.now() + settleWithinMs; Date.now() < deadline; await wait(100)) {
    if ((await read()).status === 'SUCCESS') return;
  }
  throw new Error(`The first demo payment did not succeed within ${settleWithinMs} ms.`);
}

function passwordOf(): string {
  const given = process.env.APP_ADMIN_PASSWORD;
  return given ? given : readFileSync(join(process.env.APP_DATA_DIR ?? 'data', 'admin-password'), 'utf8').trim();
}

async function call<Data>(address: string, path: string, body?: object, token?: string): Promise<Data> {
  const response = await fetch(`${address}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const reply = (await response.json()) as { message?: string; data: Data };
  if (!response.ok) throw new Error(`${path} was refused: ${reply.message}`);
  return reply.data;
}
