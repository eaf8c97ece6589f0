import type { Permission } from '../session/session.tsx';
import type { TextKey } from '../text/texts.ts';
import type { IconName } from '../ui/icons.tsx';

interface NavigationItem {
  path: string;
  label: TextKey;
  icon: IconName;
  /** Only shown to users with this permission. */
  needs?: Permission;
}

interface NavigationGroup {
  label: TextKey;
  items: readonly NavigationItem[];
}

export const navigation: readonly NavigationGroup[] = [
  {
    label: 'nav.payments',
    items: [
      { path: '/', label: 'home.title', icon: 'home' },
      { path: '/payments', label: 'payments.title', icon: 'payment', needs: 'transaction_read' },
      { path: '/refunds', label: 'refunds.title', icon: 'refund', needs: 'transaction_read' },
      { path: '/checkouts', label: 'checkouts.title', icon: 'external', needs: 'transaction_read' },
      { path: '/disputes', label: 'disputes.title', icon: 'dispute', needs: 'transaction_read' },
      { path: '/discrepancies', label: 'discrepancies.title', icon: 'discrepancy', needs: 'transaction_read' },
      { path: '/ledger', label: 'ledger.title', icon: 'ledger', needs: 'transaction_read' },
    ],
  },
  {
    label: 'nav.billing',
    items: [
      { path: '/customers', label: 'customers.title', icon: 'customer', needs: 'transaction_read' },
      { path: '/invoices', label: 'invoices.title', icon: 'invoice', needs: 'invoice_read' },
      { path: '/subscriptions', label: 'subscriptions.title', icon: 'subscription', needs: 'subscription_read' },
      { path: '/plans', label: 'plans.title', icon: 'plan', needs: 'subscription_read' },
    ],
  },
  {
    label: 'nav.developers',
    items: [
      { path: '/channels', label: 'channels.title', icon: 'channel', needs: 'channel_read' },
      { path: '/keys', label: 'keys.title', icon: 'key' },
      { path: '/webhooks', label: 'webhooks.title', icon: 'webhook', needs: 'webhook_read' },
      { path: '/deliveries', label: 'events.deliveries', icon: 'replay', needs: 'webhook_read' },
      { path: '/inboxes', label: 'inboxes.title', icon: 'inbox', needs: 'webhook_read' },
      { path: '/events', label: 'events.title', icon: 'event' },
      { path: '/requests', label: 'requests.title', icon: 'request' },
    ],
  },
  {
    label: 'nav.settings',
    items: [
      { path: '/team', label: 'team.title', icon: 'team', needs: 'user_read' },
      { path: '/tenants', label: 'tenants.title', icon: 'tenant', needs: 'platform' },
      { path: '/seller', label: 'seller.title', icon: 'invoice', needs: '*' },
      { path: '/audit', label: 'audit.title', icon: 'audit', needs: '*' },
      { path: '/system', label: 'system.title', icon: 'system' },
    ],
  },
];
