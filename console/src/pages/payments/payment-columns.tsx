import { Text } from '@mantine/core';
import type { TransactionListItem } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { shortId } from '../../format/short-id.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FailureText } from '../../ui/failure-text.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/tables/data-table.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { shownStatus } from './shown-status.ts';

/** What a list of payments has to ask for beside its usual fields. */
export const paymentFields = { fields: 'amountCaptured' } as const;

export function usePaymentColumns(): Column<TransactionListItem>[] {
  const text = useText();
  return [
    { id: 'created', header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
    { id: 'status', header: text('payments.status'), cell: (payment) => <StatusBadge status={shownStatus(payment)} /> },
    {
      id: 'amount',
      header: text('payments.amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    {
      id: 'customer',
      header: text('payment.customer'),
      cell: ({ customerId }) => <CustomerLink id={customerId} />,
    },
    { id: 'channel', header: text('payments.channel'), from: 'sm', cell: ({ channelName }) => channelName },
    {
      id: 'description',
      header: text('payments.description'),
      from: 'md',
      cell: ({ description }) => (
        <Text size="sm" maw={320} truncate>
          {description}
        </Text>
      ),
    },
    {
      id: 'refunded',
      header: text('payment.refunded'),
      isNumber: true,
      isExtra: true,
      cell: ({ amountRefunded, currency }) => <Money amount={amountRefunded} currency={currency} />,
    },
    {
      id: 'failure',
      header: text('payment.failure'),
      isExtra: true,
      cell: ({ failureCode }) => <FailureText code={failureCode} />,
    },
    {
      id: 'reference',
      header: text('payment.reference'),
      isExtra: true,
      cell: ({ providerReference }) => providerReference,
    },
    {
      id: 'updated',
      header: text('payment.updated'),
      isExtra: true,
      cell: ({ updatedTime }) => <Time value={updatedTime} />,
    },
    {
      id: 'id',
      header: 'ID',
      from: 'xl',
      cell: ({ id }) => (
        <Text ff="monospace" size="xs" title={id}>
          {shortId(id)}
        </Text>
      ),
    },
  ];
}
