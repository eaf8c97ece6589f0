import { afterAll, beforeAll, expect, test } from 'vitest';
import { administratorOf, dataOf, makeMember, makeTenant } from '../../../../../tests/support/factories.ts';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { Authenticator } from '../../../../../tests/support/service/authenticator.ts';
import { florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';

let db: TestDatabase;
let florin: TestFlorin;
let admin: string;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db, { APP_PUBLIC_URL: 'http://localhost:8080' });
  admin = await administratorOf(florin);
});

afterAll(async () => {
  await florin?.stop();
  await db?.drop();
});

test('the audit log has wrong passwords and passkeys, and keys used from where they are not allowed', async () => {
  const tenantId = await makeTenant(florin, admin);
  const member = await makeMember(florin, admin, { userType: 'MERCHANT_ADMIN', tenantId });
  const elsewhere = { scope: 'user_read', allowedAddresses: ['203.0.113.0/24'] };
  const key = dataOf(await florin.post('/api/developer/mine/generate', elsewhere, member.as));
  const credential = new Authenticator().get({ challenge: 'made-up', rpId: 'localhost' });
  const wrong = { oldPassword: 'wrong', newPassword: 'other plenty of rivers' };
  const refused = [
    await florin.post('/api/user/change-password', wrong, member.as),
    await florin.post('/api/user/second-factor/begin', { password: 'wrong' }, member.as),
    await florin.post('/api/user/passkey/begin', { password: 'wrong' }, member.as),
    await florin.post('/api/user/step-up/passkey', { credential }, member.as),
    await florin.get('/api/user/list', `ApiKey ${key.sk}`),
    await florin.get('/api/user/list', `ApiKey ${key.sk}`),
  ];
  expect(refused.map(({ status, body }) => [status, body.error.type])).toEqual([
    [400, 'old_password_wrong'],
    [400, 'old_password_wrong'],
    [400, 'old_password_wrong'],
    [400, 'passkey_wrong'],
    [403, 'address_not_allowed'],
    [403, 'address_not_allowed'],
  ]);
  const entries = async () =>
    dataOf(await florin.get(`/api/audit/list?action=access.refuse&userId=${member.id}`, admin)) as {
      by: string;
      keyId: number | null;
      address: string;
      details: { type: string };
    }[];
  await eventually('the refusals are written', async () => (await entries()).length === 3);
  const found = new Map((await entries()).map((entry) => [entry.details.type, entry]));
  expect([...found.keys()].toSorted()).toEqual(['address_not_allowed', 'old_password_wrong', 'passkey_wrong']);
  expect(found.get('old_password_wrong')).toMatchObject({ by: 'session', address: '127.0.0.1' });
  expect(found.get('address_not_allowed')).toMatchObject({ by: 'key', keyId: key.id, address: '127.0.0.1' });
});
