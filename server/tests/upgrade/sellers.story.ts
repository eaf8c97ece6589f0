import { expect, test } from 'vitest';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { administratorOf, dataOf } from '../support/factories.ts';
import { databaseFromTemplate } from '../support/postgres/database.ts';
import { migrateUpTo } from '../support/postgres/migrate-up-to.ts';
import { florinOn } from '../support/service/florin.ts';

test('sellers that were stored with their tenants, and those that were never changed, read as before', async () => {
  const db = await databaseFromTemplate('template0');
  try {
    await migrateUpTo(db, '0095');
    await db.query(
      `insert into tenant (id, name, state, address, tax_id, brand_color, logo, logo_type, customer_mails,
           mail_language,
                           mail_texts)
       values (7, 'Quay', true, '{"city":"Hull"}', 'GB 1', '#0f766e', '\\x89', 'image/png', true, 'de', '{"en":{}}'),
              (8, 'Pier', true, null, null, null, null, null, false, 'en', null)`,
    );
    await migrate(db.connection, () => {});
    const florin = await florinOn(db);
    try {
      const admin = await administratorOf(florin);
      const sellerOf = async (id: number) => dataOf(await florin.get(`/api/seller/detail?id=${id}`, admin));
      const changed = { address: { city: 'Hull' }, taxId: 'GB 1', customerMails: true, mailLanguage: 'de' };
      const looks = { brandColor: '#0f766e', logo: 'data:image/png;base64,iQ==', mailTexts: { en: {} } };
      expect(await sellerOf(7)).toMatchObject({ name: 'Quay', ...changed, ...looks });
      const unchanged = { address: null, taxId: null, customerMails: false, mailLanguage: 'en' };
      expect(await sellerOf(8)).toMatchObject({ name: 'Pier', ...unchanged, brandColor: null, logo: null });
      const tenants = dataOf(await florin.get('/api/tenant/list', admin));
      expect(tenants).toMatchObject([
        { id: 7, ...changed },
        { id: 8, ...unchanged },
      ]);
    } finally {
      await florin.stop();
    }
  } finally {
    await db.drop();
  }
});
