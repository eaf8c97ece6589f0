import type { InvoiceListItem } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';

export function useInvoiceColumns(): Column<InvoiceListItem>[] {
  const text = useText();
  return [
    { header: text('invoices.number'), cell: ({ number }) => number ?? text('status.DRAFT') },
    { header: text('payments.status'), cell: ({ status }) => <StatusBadge status={status} /> },
    {
      header: text('invoices.total'),
      isNumber: true,
      cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
    },
    {
      header: text('invoices.remaining'),
      isNumber: true,
      from: 'sm',
      cell: ({ amountRemaining, currency }) => <Money amount={amountRemaining} currency={currency} />,
    },
    {
      header: text('payment.customer'),
      from: 'md',
      cell: ({ customerId }) => <LinkText href={`/customers/${customerId}`}>{customerId}</LinkText>,
    },
    { header: text('invoices.due'), from: 'md', cell: ({ dueDate }) => dueDate ?? '–' },
    { header: text('payments.created'), from: 'sm', cell: ({ createdTime }) => <Time value={createdTime} /> },
  ];
}
