import { Text } from '@mantine/core';
import type { InvoiceListItem } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { Day, Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/tables/data-table.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { SubscriptionLink } from '../subscriptions/subscription-link.tsx';
import { daysOverdue } from './overdue.ts';

export function useInvoiceColumns(): Column<InvoiceListItem>[] {
  const text = useText();
  return [
    { id: 'number', header: text('invoices.number'), cell: ({ number }) => number ?? text('status.DRAFT') },
    { id: 'status', header: text('payments.status'), cell: (invoice) => <StatusOf invoice={invoice} /> },
    {
      id: 'total',
      header: text('invoices.total'),
      isNumber: true,
      cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
    },
    {
      id: 'remaining',
      header: text('invoices.remaining'),
      isNumber: true,
      from: 'sm',
      cell: ({ amountRemaining, currency }) => <Money amount={amountRemaining} currency={currency} />,
    },
    {
      id: 'toReturn',
      header: text('invoices.toReturn'),
      isNumber: true,
      from: 'md',
      cell: ({ amountToReturn, currency }) =>
        amountToReturn > 0 && <Money amount={amountToReturn} currency={currency} />,
    },
    {
      id: 'customer',
      header: text('payment.customer'),
      cell: ({ customerId }) => <CustomerLink id={customerId} />,
    },
    { id: 'due', header: text('invoices.due'), from: 'md', cell: ({ dueDate }) => <Day value={dueDate} /> },
    {
      id: 'created',
      header: text('payments.created'),
      from: 'lg',
      cell: ({ createdTime }) => <Time value={createdTime} />,
    },
    { id: 'description', header: text('payments.description'), isExtra: true, cell: ({ description }) => description },
    {
      id: 'refunded',
      header: text('payment.refunded'),
      isNumber: true,
      isExtra: true,
      cell: ({ amountRefunded, currency }) => <Money amount={amountRefunded} currency={currency} />,
    },
    {
      id: 'subscription',
      header: text('subscriptions.one'),
      isExtra: true,
      cell: ({ subscriptionId }) => subscriptionId && <SubscriptionLink id={subscriptionId} />,
    },
    { id: 'id', header: 'ID', isExtra: true, cell: ({ id }) => id },
  ];
}

/** The status of an invoice, and by how many days it is overdue. */
export function StatusOf({ invoice }: { invoice: Pick<InvoiceListItem, 'status' | 'dueDate'> }) {
  const text = useText();
  const days = daysOverdue(invoice);
  return (
    <>
      <StatusBadge status={invoice.status} />
      {days > 0 && (
        <Text span size="xs" c="light-dark(var(--mantine-color-red-8), var(--mantine-color-red-4))">
          {` ${text.count('invoices.overdue', days)}`}
        </Text>
      )}
    </>
  );
}
