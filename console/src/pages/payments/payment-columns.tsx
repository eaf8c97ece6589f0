import { Text } from '@mantine/core';
import type { TransactionListItem } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';

export function usePaymentColumns(): Column<TransactionListItem>[] {
  const text = useText();
  return [
    { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
    { header: text('payments.status'), cell: ({ status }) => <StatusBadge status={status} /> },
    {
      header: text('payments.amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
    { header: text('payments.channel'), from: 'sm', cell: ({ channelName }) => channelName },
    {
      header: text('payments.description'),
      from: 'md',
      cell: ({ description }) => (
        <Text size="sm" maw={320} truncate>
          {description}
        </Text>
      ),
    },
    { header: 'ID', from: 'lg', cell: ({ id }) => <Text ff="monospace" size="xs">{`${id.slice(0, 16)}…`}</Text> },
  ];
}
