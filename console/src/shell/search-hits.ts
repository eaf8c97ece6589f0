import { exponentOf } from '../../../server/src/core/currency.ts';
import { moneyText } from '../format/money.tsx';
import { readingsOf } from '../format/read-amount.ts';
import type { IconName } from '../ui/icons.tsx';
import type { Text } from './preferences.tsx';

export interface Hit {
  path: string;
  label: string;
  icon: IconName;
}

/** The pages of records, by the prefix of their ids. */
const byPrefix: readonly [prefix: string, path: string, label: Parameters<Text>[0], icon: IconName][] = [
  ['txn_', '/payments/', 'payment.title', 'payment'],
  ['ref_', '/refunds/', 'refunds.one', 'refund'],
  ['evt_', '/events/', 'event.title', 'event'],
  ['dlv_', '/deliveries/', 'delivery.title', 'webhook'],
  ['req_', '/requests/', 'requests.one', 'request'],
];

/** The pages on which the searched text may be found, by its form. */
export function recordsOf(sought: string, text: Text): Hit[] {
  const id = encodeURIComponent(sought);
  const known = byPrefix.find(([prefix]) => sought.startsWith(prefix));
  if (known !== undefined) {
    const [, path, label, icon] = known;
    return [{ path: `${path}${id}`, label: `${text(label)} ${sought}`, icon }];
  }
  if (/^\d+$/.test(sought)) {
    return [
      { path: `/customers/${id}`, label: `${text('customers.one')} ${sought}`, icon: 'customer' },
      { path: `/invoices/${id}`, label: `${text('invoices.one')} ${sought}`, icon: 'invoice' },
      { path: `/subscriptions/${id}`, label: `${text('subscriptions.one')} ${sought}`, icon: 'subscription' },
    ];
  }
  if (amountForm.test(sought)) return [];
  const customers: Hit = {
    path: `/customers?${sought.includes('@') ? 'email' : 'name'}=${id}`,
    label: text('search.customers', { sought }),
    icon: 'customer',
  };
  if (sought.includes('@')) return [customers];
  return [
    customers,
    { path: `/payments?search=${id}`, label: text('search.payments', { sought }), icon: 'payment' },
    { path: `/invoices?search=${id}`, label: text('search.invoices', { sought }), icon: 'invoice' },
  ];
}

/** `19.99`, `19,99 EUR`, `EUR 19.99`. */
const amountForm = /^(?:([a-z]{3}) ?)?([\d٠-٩](?:[\d٠-٩.,٫٬'’\s]*[\d٠-٩])?)(?: ?([a-z]{3}))?$/i;
const maxHits = 4;

/** Payments of an amount in major units, in the typed currency or in the offered currencies. */
export function amountsOf(sought: string, offered: readonly string[], locale: string, text: Text): Hit[] {
  const [, before, typed, after] = amountForm.exec(sought) ?? [];
  if (typed === undefined) return [];
  const named = (before ?? after)?.toUpperCase();
  return (named === undefined ? offered : [named])
    .filter((currency) => exponentOf(currency) !== undefined)
    .flatMap((currency) => {
      return readingsOf(typed, currency, locale).map((amount) => {
        const query = new URLSearchParams({ currency, amountFrom: String(amount), amountTo: String(amount) });
        const label = text('search.amount', { amount: moneyText(amount, currency, locale) });
        return { path: `/payments?${query}`, label, icon: 'payment' as const };
      });
    })
    .slice(0, maxHits);
}
