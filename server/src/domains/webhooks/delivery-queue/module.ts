import { defineModule } from '../../../platform/module.ts';

/**
 * The queue of webhook deliveries: every statement that writes one. `events` enqueues them with the change that they report,
 * `deliveries` sends them.
 */
export const deliveryQueue = defineModule({
  name: 'delivery-queue',
  tables: ['delivery', 'delivery_attempt', 'delivery_sweep'],
});
