import type { Module } from '../../../platform/module.ts';
import type { WebhooksApp } from '../app.ts';

/**
 * The queue of webhook deliveries: every statement that writes one. `events` enqueues them with the change that they
 * report, `deliveries` sends them.
 */
export const deliveryQueue = {
  name: 'delivery-queue',
  tables: ['delivery', 'delivery_attempt', 'delivery_sweep'],
} satisfies Module<WebhooksApp>;
