import type { SearchResult } from '../api/client.ts';
import { moneyText } from '../format/money.tsx';
import { shownStatus } from '../pages/payments/shown-status.ts';
import type { IconName } from '../ui/icons.tsx';
import type { Text } from './preferences.tsx';

export interface Hit {
  path: string;
  label: string;
  /** What tells it from similar ones. */
  detail?: string | undefined;
  status?: string;
  createdTime?: string;
  icon: IconName;
}

export interface HitGroup {
  title: string;
  hits: Hit[];
}

/**
 * The pages of records by the prefix of their ids. The service does not search all of them, and finds a new payment
 * only after a few seconds.
 */
const byPrefix: readonly [prefix: string, path: string, label: Parameters<Text>[0], icon: IconName][] = [
  ['txn_', '/payments/', 'payment.title', 'payment'],
  ['ref_', '/refunds/', 'refunds.one', 'refund'],
  ['evt_', '/events/', 'event.title', 'event'],
  ['dlv_', '/deliveries/', 'delivery.title', 'webhook'],
  ['req_', '/requests/', 'requests.one', 'request'],
];

/** The page of the record with the typed id. */
export function recordOf(sought: string, text: Text): Hit[] {
  const known = /^[a-z]{3}_[0-9a-f]{32}$/.test(sought) && byPrefix.find(([prefix]) => sought.startsWith(prefix));
  if (!known) return [];
  const [, path, label, icon] = known;
  return [{ path: path + encodeURIComponent(sought), label: `${text(label)} ${sought}`, icon }];
}

/** What the service has found, by kind. */
export function groupsOf(found: SearchResult, text: Text, locale: string): HitGroup[] {
  const { payments = [], customers = [], invoices = [], subscriptions = [] } = found;
  const joined = (...facts: (string | null | undefined)[]) => facts.filter(Boolean).join(' · ') || undefined;
  return [
    {
      title: text('customers.title'),
      hits: customers.map(({ id, name, email, createdTime }) => ({
        path: `/customers/${id}`,
        label: name,
        detail: joined(email),
        icon: 'customer' as const,
        createdTime,
      })),
    },
    {
      title: text('payments.title'),
      hits: payments.map((payment) => ({
        path: `/payments/${payment.id}`,
        label: moneyText(payment.amount, payment.currency, locale),
        detail: joined(payment.customerName, payment.description),
        icon: 'payment' as const,
        status: shownStatus(payment),
        createdTime: payment.createdTime,
      })),
    },
    {
      title: text('invoices.title'),
      hits: invoices.map(({ id, number, total, currency, customerName, status, createdTime }) => ({
        path: `/invoices/${id}`,
        label: joined(number ?? text('invoices.one'), moneyText(total, currency, locale)) as string,
        detail: joined(customerName),
        icon: 'invoice' as const,
        ...{ status, createdTime },
      })),
    },
    {
      title: text('subscriptions.title'),
      hits: subscriptions.map(({ id, planName, customerName, state, createdTime }) => ({
        path: `/subscriptions/${id}`,
        label: planName,
        detail: joined(customerName),
        icon: 'subscription' as const,
        ...{ status: state, createdTime },
      })),
    },
  ];
}
