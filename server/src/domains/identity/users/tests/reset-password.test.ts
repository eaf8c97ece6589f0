import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { adminPassword, type Identity, identity } from '../../../../../tests/support/identity.ts';
import type { Mail } from '../../../../platform/mail/mailer.ts';
import { deleteInBatches } from '../../../../platform/postgres/delete-in-batches.ts';
import { deleteExpiredResets } from '../statements.ts';

let node: Identity;
let admin: string;
let sendMail: (mail: Mail) => Promise<void>;
const mails: Mail[] = [];

beforeAll(async () => {
  node = await identity({ send: (mail) => sendMail(mail) });
  admin = await node.bearer('admin', adminPassword);
});
beforeEach(() => {
  mails.length = 0;
  sendMail = async (mail) => {
    mails.push(mail);
  };
});
afterAll(() => node.stop());

let users = 0;
const oldPassword = 'seven green boats';
const newPassword = 'eight blue boats';
async function makeUser(): Promise<{ id: number; userName: string; email: string }> {
  const name = `forgetful${++users}`;
  const fields = { userName: name, email: `${name}@shop.example`, password: oldPassword };
  const reply = await node.post(
    '/api/user/modify',
    { ...fields, userType: 'MERCHANT_USER', state: true },
    { bearer: admin },
  );
  return reply.body.data;
}
async function forgot(email: string) {
  const reply = await node.post('/api/user/forgot-password', { email });
  await node.mailed();
  return reply;
}
const tokenIn = (mail: Mail | undefined) => /token=([\w-]+)/.exec(mail?.text ?? '')?.[1] as string;
const reset = (token: string, password = newPassword) =>
  node.post('/api/user/reset-password', { token, newPassword: password });
const loginStatus = async (account: string, password: string) =>
  (await node.post('/api/user/login', { account, password })).status;

test('a mailed token sets a new password once, and ends every session', async () => {
  const user = await makeUser();
  const bearer = await node.bearer(user.userName, oldPassword);
  expect((await forgot(user.email.toUpperCase())).status).toBe(200);
  expect(mails).toHaveLength(1);
  expect(mails[0]?.to).toBe(user.email);
  const token = tokenIn(mails[0]);
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);

  expect((await reset(token)).status).toBe(200);
  expect(await loginStatus(user.userName, oldPassword)).toBe(401);
  expect(await loginStatus(user.userName, newPassword)).toBe(200);
  expect((await node.get('/api/user/info', { bearer })).status).toBe(401);

  const again = await reset(token);
  expect(again.status).toBe(400);
  expect(again.body.error).toMatchObject({ type: 'reset_token_invalid', field: 'token' });
});

test('of many requests at the same time, five mail a token', async () => {
  const user = await makeUser();
  await Promise.all(Array.from({ length: 20 }, () => node.post('/api/user/forgot-password', { email: user.email })));
  await node.mailed();
  expect(mails).toHaveLength(5);
});

test('an answer depends on no user: it comes while the table of users is locked', async () => {
  const user = await makeUser();
  await node.db.database.transaction(async (transaction) => {
    await transaction.run({ name: '', text: 'lock table app_user in access exclusive mode' }, []);
    for (const email of [user.email, 'nobody@shop.example']) {
      expect((await node.post('/api/user/forgot-password', { email })).status).toBe(200);
    }
  });
  await node.mailed();
  expect(mails.map((mail) => mail.to)).toEqual([user.email]);
});

test('known, unknown and disabled addresses get the same answer, and only the known address gets a mail', async () => {
  const user = await makeUser();
  const disabled = await makeUser();
  const off = { ...only(disabled), userType: 'MERCHANT_USER', state: false };
  expect((await node.post('/api/user/modify', off, { bearer: admin })).status).toBe(200);
  const answers = [];
  for (const email of [user.email, 'nobody@shop.example', disabled.email, user.userName, 'not an address']) {
    const { status, body } = await forgot(email);
    answers.push({ status, body });
  }
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  expect(answers[0]?.status).toBe(200);
  expect(mails.map((mail) => mail.to)).toEqual([user.email]);
});

test('the answer does not wait for the mail server; a mail that fails is logged', async () => {
  const user = await makeUser();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  sendMail = async () => {
    await held;
    throw new Error('The mail server is away.');
  };
  const { status } = await node.post('/api/user/forgot-password', { email: user.email });
  expect(status).toBe(200);
  const errorsBefore = node.errors.length;
  release();
  await node.mailed();
  expect(node.errors.length).toBe(errorsBefore + 1);
});

test('the link begins with app.public-url, whatever Host header the request has', async () => {
  const user = await makeUser();
  const headers = { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
  await node.post('/api/user/forgot-password', { email: user.email }, { headers });
  await node.mailed();
  expect(mails[0]?.text).toContain('https://pay.example/reset-password?token=');
  expect(mails[0]?.text).not.toContain('evil.example');
});

test('of 50 concurrent uses of one token exactly one succeeds', async () => {
  const user = await makeUser();
  await forgot(user.email);
  const token = tokenIn(mails[0]);
  const replies = await Promise.all(Array.from({ length: 50 }, (_, i) => reset(token, `new password ${i}`)));
  const won = replies.flatMap(({ status }, i) => (status === 200 ? [i] : []));
  expect(won).toHaveLength(1);
  expect(replies.filter(({ status }) => status === 400)).toHaveLength(49);
  expect(await loginStatus(user.userName, `new password ${won[0]}`)).toBe(200);
});

test('a used token voids the user’s other tokens', async () => {
  const user = await makeUser();
  await forgot(user.email);
  await forgot(user.email);
  const [first, second] = mails.map(tokenIn) as [string, string];
  expect((await reset(first)).status).toBe(200);
  expect((await reset(second)).status).toBe(400);
});

test('of two tokens of one user that are used at once, one succeeds', async () => {
  const user = await makeUser();
  await forgot(user.email);
  await forgot(user.email);
  const statuses = await Promise.all(mails.map(async (mail) => (await reset(tokenIn(mail))).status));
  expect(statuses.sort()).toEqual([200, 400]);
});

test('a token is valid for 30 minutes', async () => {
  const user = await makeUser();
  await forgot(user.email);
  const token = tokenIn(mails[0]);
  node.advance(30 * 60_000);
  expect((await reset(token)).body.error.type).toBe('reset_token_invalid');
  await deleteInBatches(node.db.database, deleteExpiredResets, [new Date(node.now())]);
  expect(await node.db.query('select 1 from password_reset where user_id = $1', [user.id])).toHaveLength(0);
});

test('the token of a user who has been disabled is refused', async () => {
  const user = await makeUser();
  await forgot(user.email);
  const off = { ...only(user), userType: 'MERCHANT_USER', state: false };
  expect((await node.post('/api/user/modify', off, { bearer: admin })).status).toBe(200);
  expect((await reset(tokenIn(mails[0]))).status).toBe(400);
});

test('only the hash of a token is stored', async () => {
  const user = await makeUser();
  await forgot(user.email);
  const [row] = await node.db.query<{ token_hash: Buffer }>(
    'select token_hash from password_reset where user_id = $1',
    [user.id],
  );
  expect(row?.token_hash).toHaveLength(32);
  expect(row?.token_hash.equals(Buffer.from(tokenIn(mails[0]), 'base64url'))).toBe(false);
});

test('a user with five open tokens gets no further mail, and the same answer', async () => {
  const user = await makeUser();
  for (let i = 0; i < 8; i++) expect((await forgot(user.email)).status).toBe(200);
  expect(mails).toHaveLength(5);
});

test('a made-up token costs no password hash', async () => {
  const before = node.passwords.computed;
  expect((await reset('A'.repeat(43))).status).toBe(400);
  expect(node.passwords.computed).toBe(before);
});

test.each([
  ['12345', 'shorter than six'],
  ['password', 'the commonest'],
  ['PassWord1', 'the commonest in other cases'],
])('the new password %s is refused as %s, and the token stays valid', async (weak) => {
  const user = await makeUser();
  await forgot(user.email);
  const token = tokenIn(mails[0]);
  const { status, body } = await reset(token, weak);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({ type: 'password_too_weak', field: 'newPassword' });
  expect((await reset(token, 'abc-12')).status).toBe(200);
});

test('a password of more than 1024 bytes is refused', async () => {
  const { status, body } = await reset('x', 'é'.repeat(600));
  expect(status).toBe(400);
  expect(body.error.field).toBe('newPassword');
});

test('a reset clears the failed logins from its address', async () => {
  const user = await makeUser();
  for (let i = 0; i < 10; i++) await loginStatus(user.userName, 'wrong!');
  expect(await loginStatus(user.userName, oldPassword)).toBe(429);
  await forgot(user.email);
  await reset(tokenIn(mails[0]));
  expect(await loginStatus(user.userName, newPassword)).toBe(200);
});

function only({ id, userName, email }: { id: number; userName: string; email: string }) {
  return { id, userName, email };
}
