import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../webhooks/receiver.ts';
import { MollieSimulator } from './mollie.ts';

let simulator: MollieSimulator;

beforeAll(async () => {
  simulator = await MollieSimulator.start();
});
afterAll(() => simulator.close());

const key = 'Bearer test_anything';

async function createPayment(url: string, facts: Record<string, unknown> = {}) {
  const response = await fetch(`${url}/v2/payments`, {
    method: 'POST',
    headers: { authorization: key },
    body: JSON.stringify({
      amount: { currency: 'EUR', value: '10.00' },
      description: '<script>alert(1)</script>',
      redirectUrl: 'https://shop.example.org/back',
      ...facts,
    }),
  });
  return (await response.json()) as {
    id: string;
    status: unknown;
    field?: string;
    _links: { checkout: { href: string } };
  };
}

test('the simulator starts as a program and listens on the address that it prints', async () => {
  const file = fileURLToPath(new URL('./mollie.ts', import.meta.url));
  const program = spawn(process.execPath, [file, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const receiver = await startReceiver();
  try {
    const [line] = (await once(program.stdout, 'data')) as [Buffer];
    const url = /http:\S+/.exec(line.toString())?.[0] as string;
    const { id, _links } = await createPayment(url, { webhookUrl: `${receiver.url}/callback` });
    await fetch(_links.checkout.href, {
      method: 'POST',
      body: new URLSearchParams({ choice: 'pay' }),
      redirect: 'manual',
    });
    await once(program.stdout, 'data');
    expect(receiver.received).toMatchObject([{ path: '/callback', body: Buffer.from(`id=${id}`) }]);
  } finally {
    program.kill();
    await receiver.close();
  }
});

test.each([
  ['pay', 'paid'],
  ['fail', 'failed'],
  ['cancel', 'canceled'],
  ['expire', 'expired'],
])('a payer at the checkout can %s and is redirected to the shop', async (choice, status) => {
  const { id, _links } = await createPayment(simulator.url);
  const page = await (await fetch(_links.checkout.href)).text();
  expect(page).toContain(`value="${choice}"`);
  expect(page).not.toContain('<script>');
  const body = new URLSearchParams({ choice });
  const response = await fetch(_links.checkout.href, { method: 'POST', body, redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([303, 'https://shop.example.org/back']);
  expect(simulator.payment(id).status).toBe(status);
  expect(await (await fetch(_links.checkout.href, { method: 'POST', body })).text()).toContain(status);
});

test('a payer chooses among the methods that the payment can be paid with, and keeps the chosen one', async () => {
  const customer = await fetch(`${simulator.url}/v2/customers`, {
    method: 'POST',
    headers: { authorization: key },
    body: JSON.stringify({ name: 'Ada' }),
  });
  const { id: customerId } = (await customer.json()) as { id: string };
  const { id, _links } = await createPayment(simulator.url, { customerId, sequenceType: 'first' });
  const { href } = _links.checkout;
  const page = await (await fetch(href)).text();
  expect(page).toContain('<option>creditcard</option>');
  expect(page).not.toContain('banktransfer');
  const body = new URLSearchParams({ choice: 'pay', method: 'creditcard' });
  await fetch(href, { method: 'POST', body, redirect: 'manual' });
  expect(simulator.payment(id)).toMatchObject({ status: 'paid', method: 'creditcard' });
  expect(simulator.mandate(simulator.payment(id).mandateId as string).method).toBe('creditcard');
});

test('a direct debit is paid or returned on the page for test payments', async () => {
  const customer = simulator.api.customers.create({ name: 'Ada' }, 'test');
  const mandateId = simulator.api.customers.keep(customer.id, 'ideal').id;
  const facts = { customerId: customer.id, mandateId, sequenceType: 'recurring', redirectUrl: undefined };
  const { id, _links } = await createPayment(simulator.url, facts);
  const { href } = (_links as unknown as { changePaymentState: { href: string } }).changePaymentState;
  await fetch(href, { method: 'POST', body: new URLSearchParams({ choice: 'fail' }), redirect: 'manual' });
  expect(simulator.payment(id).status).toBe('failed');
});

test.each([
  [{ amount: { currency: 'EUR', value: '10' } }, 'amount.value'],
  [{ amount: { currency: 'EUR', value: 10 } }, 'amount.value'],
  [{ amount: { currency: 'JPY', value: '500.00' } }, 'amount.value'],
  [{ amount: { currency: 'KWD', value: '1.000' } }, 'amount.currency'],
  [{ amount: { currency: 'EUR', value: '0.00' } }, 'amount'],
  [{ description: '' }, 'description'],
  [{ webhookUrl: 'nowhere' }, 'webhookUrl'],
])('a payment that Mollie refuses (%o) is refused', async (facts, field) => {
  const refused = await simulator.conformance.unchecked(() => createPayment(simulator.url, facts));
  expect(refused).toMatchObject({ status: 422, field });
});

test('a request without credentials is refused', async () => {
  expect((await fetch(`${simulator.url}/v2/payments`)).status).toBe(401);
});
