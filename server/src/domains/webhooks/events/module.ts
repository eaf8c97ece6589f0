import type { Module } from '../../../platform/module.ts';
import type { WebhooksApp } from '../app.ts';
import { digestCheck } from './digest-check.ts';
import { sealedEventKeys } from './digests.ts';
import { eventChecks } from './integrity.ts';
import { eventRoutes } from './routes.ts';
import { eventDetail } from './schema.ts';

/** Events, written together with the change that they report and with their deliveries. */
export const events = {
  name: 'events',
  tables: ['event', 'event_key'],
  auditActions: {
    'event.export': 'Events were exported.',
  },
  reference: [
    { name: 'Events', description: 'Changes of payments, invoices and subscriptions, as webhooks report them.' },
  ],
  resources: { event: eventDetail },
  integrity: eventChecks,
  keyedIntegrity: [digestCheck],
  sealed: [sealedEventKeys],
  routes: eventRoutes,
} satisfies Module<WebhooksApp>;
