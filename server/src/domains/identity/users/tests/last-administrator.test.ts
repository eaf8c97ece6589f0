import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword, type Identity, identity } from '../../../../../tests/support/identity.ts';

let node: Identity;
beforeAll(async () => {
  node = await identity();
});
afterAll(() => node.stop());

const admin = { id: 0, userName: 'admin', email: 'admin@localhost', userType: 'PLATFORM_ADMIN', state: true };

test('the last active platform administrator can be neither disabled nor demoted', async () => {
  const bearer = await node.bearer('admin', adminPassword);
  admin.id = (await node.get('/api/user/info', { bearer })).body.data.userId;
  for (const fields of [{ state: false }, { userType: 'MERCHANT_ADMIN' }]) {
    const { status, body } = await node.post('/api/user/modify', { ...admin, ...fields }, { bearer });
    expect([status, body.error.type]).toEqual([409, 'last_administrator']);
  }
  // A change that keeps the administrator active is allowed.
  expect((await node.post('/api/user/modify', admin, { bearer })).status).toBe(200);
});

test('administrators who disable each other concurrently leave one active', async () => {
  const bearer = await node.bearer('admin', adminPassword);
  const all = [admin];
  for (let i = 0; i < 5; i++) {
    const fields = { userName: `chief${i}`, email: `chief${i}@x.example`, userType: 'PLATFORM_ADMIN', state: true };
    const { body } = await node.post('/api/user/modify', { ...fields, password: 'green boats' }, { bearer });
    all.push({ ...fields, id: body.data.id });
  }
  const bearers = [bearer];
  for (const { userName } of all.slice(1)) bearers.push(await node.bearer(userName, 'green boats'));
  const replies = await Promise.all(
    all.map((user, i) =>
      node.post('/api/user/modify', { ...user, state: false }, { bearer: bearers[(i + 1) % all.length] as string }),
    ),
  );
  const [{ active }] = (await node.db.query(
    `select count(*)::int as active from app_user where user_type = 'PLATFORM_ADMIN' and state`,
  )) as [{ active: number }];
  // Requests of administrators disabled meanwhile get 401; what counts is that one administrator stays active.
  expect(active).toBeGreaterThanOrEqual(1);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(all.length - active);
  for (const { status } of replies) expect([200, 401, 409]).toContain(status);
});
