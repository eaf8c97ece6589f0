import { databaseFromTemplate, eventually, type TestDatabase } from '@florin/server/tests/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '@florin/server/tests/service/florin.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestShell } from './run.ts';

let database: TestDatabase;
let florin: TestFlorin;
let shell: TestShell;

beforeAll(async () => {
  database = await databaseFromTemplate();
  florin = await florinOn(database);
  shell = new TestShell({ FLORIN_URL: florin.address });
});

afterAll(async () => {
  shell?.remove();
  await florin?.stop();
  await database?.drop();
});

test('without a login a command says so, and what to do', async () => {
  const { exitCode, stderr } = await shell.run('payments list');
  expect(exitCode).toBe(3);
  expect(stderr).toBe(
    `florin: You are not logged in to ${florin.address}. florin login lets you approve this program in the browser, ` +
      'florin login --account NAME asks for a password; or set FLORIN_API_KEY to a developer key.\n',
  );
  expect((await shell.run('get /api/transaction/list')).exitCode).toBe(3);
});

test('every resource has its commands, which take an id as events name it', async () => {
  await shell.run('login --account admin', { input: administratorPassword });
  const created = await shell.run('customers modify name=Ada externalId="42" --json');
  const [customer] = created.json() as { id: number; name: string; externalId: string; livemode: boolean }[];
  // Test records, unless --live is given.
  expect(customer, created.stderr).toMatchObject({ name: 'Ada', externalId: '42', livemode: false });
  const { id } = customer as { id: number };
  for (const given of [String(id), `cus_${id}`, `id=${id}`])
    expect((await shell.run(['customers', 'get', given, '--json'])).json()).toMatchObject([{ name: 'Ada' }]);

  const lines = ['lines=[{"description":"Bread","quantity":1,"unitAmount":250}]', `customerId=${id}`, 'currency=USD'];
  const [invoice] = (await shell.run(['invoices', 'create', ...lines, '--json'])).json() as { id: number }[];
  const listed = await shell.run('invoices list status=DRAFT --limit 1');
  expect(listed.stdout).toMatch(new RegExp(`^${invoice?.id}\t.*DRAFT\t.*USD`));
  const table = await shell.run('invoices list', { isTerminal: true });
  expect(table.stdout).toMatch(/^ID +NUMBER +STATUS .*\n\d+ .*DRAFT/);
  expect((await shell.run('webhooks deliveries list')).exitCode).toBe(0);
  expect((await shell.run('ledger balance')).exitCode).toBe(0);
  expect((await shell.run('invoices list stauts=DRAFT')).stderr).toContain('stauts');
});

test('methods lists the payment methods of a customer, shows one, makes it the default and detaches it', async () => {
  const provider = ['provider=sandbox', 'webhookSecret=a secret of this test', 'name=Cards', 'code=methods'];
  const place = ['type=ONLINE', 'currency=USD', 'country=US', 'state=true'];
  const made = await shell.run(['channels', 'modify', ...provider, ...place, '--json']);
  const [channel] = made.json() as { id: number }[];
  const [customer] = (await shell.run('customers modify name=Joan --json')).json() as { id: number }[];
  const known = [`customerId=${customer?.id}`, `channelId=${channel?.id}`];
  const ids: string[] = [];
  for (const key of ['first', 'second']) {
    const setup = ['methods', 'setup', ...known, 'token=tok_visa', '--idempotency-key', key, '--json'];
    const answer = await shell.run(setup);
    const [method] = answer.json() as { id: string; status: string }[];
    expect(method, answer.stderr).toMatchObject({ status: 'PENDING' });
    const { id } = method as { id: string };
    ids.push(id);
    await eventually('it can be charged', async () =>
      (await shell.run(['methods', 'get', id])).stdout.includes('status\tACTIVE'),
    );
  }
  const [first, second] = ids as [string, string];
  const table = await shell.run(['methods', 'list', `customerId=${customer?.id}`], { isTerminal: true });
  expect(table.stdout).toMatch(/^ID +STATUS +TYPE +BRAND +LAST4 +ISDEFAULT /);
  expect(table.stdout).toMatch(new RegExp(`${second} +ACTIVE +card +visa +4242 +false .*\n${first} .* true `, 'i'));
  const defaulted = await shell.run(['methods', 'set-default', second, '--json']);
  expect(defaulted.json(), defaulted.stderr).toMatchObject([{ id: second, isDefault: true }]);
  const detached = await shell.run(['methods', 'detach', first, `replaceWith=${second}`, '--json']);
  expect(detached.json(), detached.stderr).toMatchObject([{ id: first, status: 'DETACHED' }]);
  expect((await shell.run(['methods', 'set-default', first])).exitCode).toBe(5);
});

test('any path is requested as it is, and a refusal is told like that of a command', async () => {
  const read = await shell.run(['get', '/api/customer/list', 'name=Ada']);
  expect(JSON.parse(read.stdout)).toMatchObject({
    code: 200,
    data: [{ name: 'Ada' }],
    pagination: { nextCursor: null },
  });
  const posted = await shell.run(['post', '/api/customer/modify', 'name=Grace', 'metadata={"tier":"gold"}']);
  expect(JSON.parse(posted.stdout)).toMatchObject({ code: 200, data: { name: 'Grace', metadata: { tier: 'gold' } } });
  // Of a session, like those of commands: test records, unless live ones are asked for.
  expect(JSON.parse(posted.stdout).data.livemode).toBe(false);
  const live = await shell.run(['post', '/api/customer/modify', 'name=Hedy', '--live']);
  expect(JSON.parse(live.stdout).data).toMatchObject({ name: 'Hedy', livemode: true });
  const page = await shell.run('get /docs');
  // Of the documentation, or that it is still being built.
  expect(page.stdout).toMatch(/<!doctype html>/i);
  const refused = await shell.run(['post', '/api/customer/modify', 'nmae=Grace']);
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toMatch(/nmae.*invalid_request/);
  expect((await shell.run('get api/customer/list')).stderr).toContain('is not a path');
});
