import { Text } from '@mantine/core';
import { disputesListReason, disputesListStatus } from '../../api/choices.ts';
import { shortId } from '../../format/short-id.ts';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { useDisputeColumns } from './dispute-columns.tsx';

const filterNames = ['status', 'reason', 'transactionId'] as const;

/** Payments that payers, or their banks, have disputed. */
export default function DisputesPage() {
  const text = useText();
  const columns = useDisputeColumns(
    {
      header: text('payment.customer'),
      cell: ({ customerId }) => <CustomerLink id={customerId} />,
    },
    {
      header: text('payment.title'),
      from: 'md',
      cell: ({ transactionId }) => <LinkText href={`/payments/${transactionId}`}>{shortId(transactionId)}</LinkText>,
    },
  );
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
      columns={columns}
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
