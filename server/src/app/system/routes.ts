import type { BillingApp } from '../../domains/billing/app.ts';
import { platformAdministrator, type Route } from '../../platform/http/route.ts';
import { routesFor } from '../../platform/http/routes-for.ts';
import { readSystemHealth } from './read-health.ts';
import { systemHealth } from './schema.ts';

const { get } = routesFor<BillingApp>();

export const systemRoutes: readonly Route<BillingApp>[] = [
  get('/api/system/health', platformAdministrator('*'), 'System', {
    operationId: 'getSystemHealth',
    summary: 'Get the health of the system',
    description:
      'Nodes, the database with its standbys, work that is due, backups and versions, as of now. For load balancers ' +
      'there is `GET /health/ready`, for alerts `/metrics`.',
    data: systemHealth,
    handle: async (_call, app) => ({ data: await readSystemHealth(app) }),
  }),
];
