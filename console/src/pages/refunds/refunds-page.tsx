import { Text } from '@mantine/core';
import { refundsListStatus } from '../../api/choices.ts';
import { Money } from '../../format/money.tsx';
import { shortId } from '../../format/short-id.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';

const filterNames = ['status', 'startDate', 'endDate'] as const;

export default function RefundsPage() {
  const text = useText();
  return (
    <ListPage
      title={text('refunds.title')}
      operation="refunds.list"
      isExported
      financeFiles={['finances.refunds']}
      viewsOf="refunds"
      filterNames={filterNames}
      filters={({ filters, setFilters }) => (
        <>
          <TimeFilters filters={filters} onChange={setFilters} />
          <FilterSelect
            label={text('payments.status')}
            options={refundsListStatus}
            value={filters.status}
            onChange={(status) => setFilters({ status })}
          />
        </>
      )}
      columns={[
        { id: 'created', header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
        { id: 'status', header: text('payments.status'), cell: ({ status }) => <StatusBadge status={status} /> },
        {
          id: 'amount',
          header: text('payments.amount'),
          isNumber: true,
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
        },
        {
          id: 'payment',
          header: text('payment.title'),
          from: 'sm',
          cell: ({ transactionId }) => (
            <LinkText href={`/payments/${transactionId}`}>{shortId(transactionId)}</LinkText>
          ),
        },
        { id: 'reason', header: text('payment.reason'), from: 'md', cell: ({ reason }) => reason },
        {
          id: 'updated',
          header: text('payment.updated'),
          isExtra: true,
          cell: ({ updatedTime }) => <Time value={updatedTime} />,
        },
        {
          id: 'id',
          header: 'ID',
          isExtra: true,
          cell: ({ id }) => (
            <Text ff="monospace" size="xs">
              {id}
            </Text>
          ),
        },
      ]}
      keyOf={({ id }) => id}
      linkOf={({ id }) => `/refunds/${id}`}
      amountOf={(refund) => refund}
      empty={() => (
        <EmptyState title={text('refunds.none')}>
          <Text size="sm">{text('refunds.noneHint')}</Text>
          <LinkText href="/payments?status=SUCCESS">{text('refunds.toPayments')}</LinkText>
        </EmptyState>
      )}
    />
  );
}
