import type { Module } from '../../../platform/module.ts';
import type { IdentityApp } from '../app.ts';
import { mailTexts } from './mail-texts.ts';
import { tenantRoutes } from './routes.ts';
import { tenantInput, tenantRecord } from './schema.ts';
import { sellerInput, sellerRecord } from './seller-schema.ts';

/** Merchants. Each sees only its own records. */
export const tenants = {
  name: 'tenants',
  tables: ['tenant'],
  auditActions: {
    'tenant.create': 'A tenant was created.',
    'tenant.update': 'A tenant was changed, enabled or disabled.',
  },
  reference: [{ name: 'Tenants', description: 'Merchants. Each sees only its own records.' }],
  resources: { tenant: tenantRecord, seller: sellerRecord },
  schemas: {
    TenantModifyInput: tenantInput,
    Tenant: tenantRecord,
    SellerModifyInput: sellerInput,
    Seller: sellerRecord,
    MailTexts: mailTexts,
  },
  routes: tenantRoutes,
} satisfies Module<IdentityApp>;
