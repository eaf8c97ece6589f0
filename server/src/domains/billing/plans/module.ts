import { defineModule } from '../../../platform/module.ts';
import type { Node } from '../../../platform/node.ts';
import type { ChannelDirectory } from '../../payments/channels/directory.ts';
import { planRoutes } from './routes.ts';
import { planInput, planRecord } from './schema.ts';
import { PlanUsages } from './usages.ts';

/** Plans: prices and billing intervals that customers subscribe to. */
export const plans = defineModule({
  name: 'plans',
  tables: ['plan'],
  auditActions: {
    'plan.create': 'A plan was created.',
    'plan.update': 'A plan was changed.',
  },
  reference: [{ name: 'Plans', description: 'Prices and billing intervals to subscribe to.' }],
  resources: { plan: planRecord },
  schemas: { PlanModifyInput: planInput, Plan: planRecord },
  provide: () => ({ planUsages: new PlanUsages() }),
  routes: (context: Node & { channels: ChannelDirectory; planUsages: PlanUsages }) => planRoutes(context),
});
