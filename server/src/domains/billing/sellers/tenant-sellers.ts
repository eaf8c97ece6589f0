import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { TenantSeller, TenantSellers } from '../../identity/tenants/sellers.ts';
import { writeSeller } from './modify.ts';
import { findSellers } from './statements.ts';

/** What the endpoints of tenants show and change of sellers. */
export const tenantSellers: TenantSellers = {
  async find(database, tenantIds) {
    const rows = await database.run(findSellers, [plainArray(tenantIds)]);
    return new Map<number, TenantSeller>(
      rows.map(({ id, address, taxId, customerMails, mailLanguage, reopenInvoices }) => [
        id,
        { address, taxId, customerMails, mailLanguage, reopenInvoices },
      ]),
    );
  },
  save: writeSeller,
};
