import { defineModule } from '../../../platform/module.ts';

/** Provider operations: what is asked of providers, written down before it is asked. `processing` carries them out. */
export const operations = defineModule({ name: 'operations', tables: ['provider_operation'] });
