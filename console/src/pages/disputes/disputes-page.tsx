import { Text } from '@mantine/core';
import { disputesListReason, disputesListStatus } from '../../api/choices.ts';
import { Money } from '../../format/money.tsx';
import { shortId } from '../../format/short-id.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';
import { Deadline } from './deadline.tsx';

const filterNames = ['status', 'reason', 'transactionId'] as const;

/** Payments that payers, or their banks, have disputed. */
export default function DisputesPage() {
  const text = useText();
  return (
    <ListPage
      title={text('disputes.title')}
      operation="disputes.list"
      filterNames={filterNames}
      filters={({ filters, setFilters }) => (
        <>
          <FilterSelect
            label={text('payments.status')}
            options={disputesListStatus}
            value={filters.status}
            onChange={(status) => setFilters({ status })}
          />
          <FilterSelect
            label={text('disputes.reason')}
            options={disputesListReason.map((value) => ({ value, label: text(`disputes.reason.${value}` as TextKey) }))}
            value={filters.reason}
            onChange={(reason) => setFilters({ reason })}
          />
        </>
      )}
      columns={[
        { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
        { header: text('payments.status'), cell: ({ status }) => <StatusBadge status={status} /> },
        { header: text('disputes.respondBy'), cell: (dispute) => <Deadline dispute={dispute} /> },
        {
          header: text('disputes.reason'),
          from: 'sm',
          cell: ({ reason }) => text(`disputes.reason.${reason}` as TextKey),
        },
        {
          header: text('payment.title'),
          from: 'sm',
          cell: ({ transactionId }) => (
            <LinkText href={`/payments/${transactionId}`}>{shortId(transactionId)}</LinkText>
          ),
        },
        {
          header: text('payments.amount'),
          isNumber: true,
          cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
        },
      ]}
      keyOf={({ id }) => id}
      linkOf={({ id }) => `/disputes/${id}`}
      empty={() => (
        <EmptyState title={text('disputes.none')}>
          <Text size="sm">{text('disputes.noneHint')}</Text>
        </EmptyState>
      )}
    />
  );
}
