import type { Subscription } from '../../api/client.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/tables/data-table.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { PlanName } from '../plans/plan-name.tsx';
import { SubscriptionPrice } from './subscription-price.tsx';

export function useSubscriptionColumns(): Column<Subscription>[] {
  const text = useText();
  return [
    { header: text('plans.one'), cell: ({ planId }) => <PlanName id={planId} /> },
    { id: 'customer', header: text('payment.customer'), cell: ({ customerId }) => <CustomerLink id={customerId} /> },
    { header: text('payments.status'), cell: ({ state }) => <StatusBadge status={state} /> },
    {
      header: text('subscriptions.price'),
      isNumber: true,
      cell: (subscription) => <SubscriptionPrice subscription={subscription} />,
    },
    { header: text('subscriptions.periodEnd'), from: 'md', cell: ({ periodEnd }) => <Time value={periodEnd} /> },
    { header: 'ID', from: 'lg', cell: ({ id }) => id },
  ];
}
