import type { BillingApp } from '../domains/billing/app.ts';
import { checkouts } from '../domains/billing/checkouts/module.ts';
import { customerMails } from '../domains/billing/customer-mails/module.ts';
import { customers } from '../domains/billing/customers/module.ts';
import { documents } from '../domains/billing/documents/module.ts';
import { finance } from '../domains/billing/finance/module.ts';
import { invoices } from '../domains/billing/invoices/module.ts';
import { plans } from '../domains/billing/plans/module.ts';
import { search } from '../domains/billing/search/module.ts';
import { sellers } from '../domains/billing/sellers/module.ts';
import { subscriptions } from '../domains/billing/subscriptions/module.ts';
import { testClocks } from '../domains/billing/test-clocks/module.ts';
import { audit } from '../domains/identity/audit/module.ts';
import { consoleSessions } from '../domains/identity/console/module.ts';
import { developerKeys } from '../domains/identity/developer-keys/module.ts';
import { deviceLogin } from '../domains/identity/device-login/module.ts';
import { mails } from '../domains/identity/mails/module.ts';
import { requests } from '../domains/identity/requests/module.ts';
import { secondFactor } from '../domains/identity/second-factor/module.ts';
import { sessions } from '../domains/identity/sessions/module.ts';
import { tenants } from '../domains/identity/tenants/module.ts';
import { users } from '../domains/identity/users/module.ts';
import { views } from '../domains/identity/views/module.ts';
import { callbacks } from '../domains/payments/callbacks/module.ts';
import { captures } from '../domains/payments/captures/module.ts';
import { channels } from '../domains/payments/channels/module.ts';
import { disputes } from '../domains/payments/disputes/module.ts';
import { ledger } from '../domains/payments/ledger/module.ts';
import { methods } from '../domains/payments/methods/module.ts';
import { operationQueue } from '../domains/payments/operation-queue/module.ts';
import { operations } from '../domains/payments/operations/module.ts';
import { providers } from '../domains/payments/providers/module.ts';
import { rawBodies } from '../domains/payments/raw-bodies/module.ts';
import { refunds } from '../domains/payments/refunds/module.ts';
import { statistics } from '../domains/payments/statistics/module.ts';
import { timeline } from '../domains/payments/timeline/module.ts';
import { transactions } from '../domains/payments/transactions/module.ts';
import { deliveries } from '../domains/webhooks/deliveries/module.ts';
import { deliveryQueue } from '../domains/webhooks/delivery-queue/module.ts';
import { webhookEndpoints } from '../domains/webhooks/endpoints/module.ts';
import { events } from '../domains/webhooks/events/module.ts';
import { inboxes } from '../domains/webhooks/inboxes/module.ts';
import { stream } from '../domains/webhooks/stream/module.ts';
import type { Intersection, Module, OwnSettings } from '../platform/module.ts';
import { system } from './system/module.ts';

const declared = [
  audit,
  tenants,
  mails,
  sessions,
  developerKeys,
  users,
  secondFactor,
  consoleSessions,
  requests,
  deviceLogin,
  views,

  deliveryQueue,
  events,
  webhookEndpoints,
  deliveries,
  inboxes,
  stream,

  providers,
  operationQueue,
  channels,
  methods,
  ledger,
  transactions,
  captures,
  refunds,
  operations,
  rawBodies,
  disputes,
  timeline,
  callbacks,
  statistics,

  sellers,
  testClocks,
  customers,
  customerMails,
  invoices,
  documents,
  plans,
  subscriptions,
  checkouts,
  search,
  finance,

  system,
] as const satisfies readonly Module<BillingApp>[];

/**
 * All modules of the product, in order of dependency: a module may import and use only modules that come before it. The
 * server, the OpenAPI document, the workers, `npm run verify`, the retention sweeps, the settings, the generated docs
 * and the layer check are derived from this list.
 */
export const modules: readonly Module<BillingApp>[] = declared;

/** The settings that the modules declare. */
export type ModuleSettings = Intersection<OwnSettings<(typeof declared)[number]>>;
