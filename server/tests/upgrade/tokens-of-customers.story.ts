import { expect, test } from 'vitest';
import { freshKeyring, parseKeyring } from '../../src/platform/crypto/keyring.ts';
import { Sealer } from '../../src/platform/crypto/seal.ts';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { brokenClaims } from '../support/broken-claims.ts';
import { administratorOf, dataOf } from '../support/factories.ts';
import { databaseFromTemplate, eventually } from '../support/postgres/database.ts';
import { migrateUpTo } from '../support/postgres/migrate-up-to.ts';
import { florinOn } from '../support/service/florin.ts';

const keys = freshKeyring();
const sealer = new Sealer(parseKeyring(keys));

test('stored tokens become payment methods, and those without a provider are dropped and counted', async () => {
  const db = await databaseFromTemplate('template0');
  try {
    await migrateUpTo(db, '0110');
    await db.query(
      `insert into channel (tenant_id, id, name, code, type, currencies, country, state, livemode, provider)
       values (0, 21, 'Sandbox', 'a', 'ONLINE', '{USD}', 'US', true, false, 'sandbox'),
              (0, 22, 'Bank', 'b', 'OFFLINE', '{USD}', 'US', true, false, null)`,
    );
    const sealed = (id: number, token: string) => sealer.seal(token, `customer/0/${id}/paymentMethod`);
    await db.query(
      `insert into customer (tenant_id, id, name, livemode, default_channel_id, payment_method_sealed, payment_method,
                             created_at, events_complete)
       values (0, 1, 'Sealed', false, 21, $1, null, now(), false),
              (0, 2, 'In clear', false, 21, null, 'sandbox:setup:fail', now(), false),
              (0, 3, 'At the bank', false, 22, $2, null, now(), false),
              (0, 4, 'Nowhere', false, null, $3, null, now(), false),
              (0, 5, 'Without', false, 21, null, null, now(), false)`,
      [sealed(1, 'tok_visa'), sealed(3, 'tok_bank'), sealed(4, 'tok_none')],
    );
    const reports: string[] = [];
    await migrate(db.connection, () => {}, { onReport: (report) => reports.push(report) });
    expect(reports).toEqual([expect.stringMatching(/: 2 become payment methods, 2 are dropped/)]);

    const florin = await florinOn(db, { APP_ENCRYPTION_KEYS: keys });
    try {
      const admin = await administratorOf(florin);
      const methods = async (customerId: number): Promise<{ id: string; status: string }[]> =>
        dataOf(await florin.get(`/api/payment-method/list?customerId=${customerId}`, admin));
      const settled = (customerId: number) =>
        eventually('the token is set up', async () => {
          const [method, ...others] = await methods(customerId);
          expect(others).toEqual([]);
          return method !== undefined && method.status !== 'PENDING' && method;
        });
      const attached = await settled(1);
      expect(attached).toMatchObject({ status: 'ACTIVE', channelId: 21, isDefault: true, livemode: false });
      expect(dataOf(await florin.get('/api/customer/detail?id=1', admin)).defaultMethodId).toBe(attached.id);
      expect(await settled(2)).toMatchObject({ status: 'FAILED', failureCode: 'card_declined', isDefault: false });
      for (const id of [3, 4, 5]) expect(await methods(id)).toEqual([]);
      expect(await brokenClaims(db.database)).toEqual([]);
    } finally {
      await florin.stop();
    }
  } finally {
    await db.drop();
  }
});
