import type { Module } from '../../../platform/module.ts';
import type { IdentityApp } from '../app.ts';
import { tenantRoutes } from './routes.ts';
import { tenantRecord } from './schema.ts';

/** Merchants. Each sees only its own records. */
export const tenants = {
  name: 'tenants',
  tables: ['tenant'],
  auditActions: {
    'tenant.create': 'A tenant was created.',
    'tenant.update': 'A tenant was changed, enabled or disabled.',
  },
  reference: [{ name: 'Tenants', description: 'Merchants. Each sees only its own records.' }],
  resources: { tenant: tenantRecord },
  routes: tenantRoutes,
} satisfies Module<IdentityApp>;
