import { defineModule } from '../../../platform/module.ts';

/** Provider operations: charges, refunds and cancellations, recorded before a provider is called. `processing` runs them. */
export const operations = defineModule({ name: 'operations', tables: ['provider_operation'] });
