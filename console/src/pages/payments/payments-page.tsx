import { Tabs, Text } from '@mantine/core';
import { transactionsListStatus } from '../../api/choices.ts';
import { useListPage, useRead } from '../../api/hooks.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { useFilters, usePlace } from '../../ui/filters/use-filters.ts';
import { ErrorNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { ExportButton } from '../../ui/tables/export-button.tsx';
import { FinanceMenu } from '../../ui/tables/finance-menu.tsx';
import { useHeldRows, WithArrivals } from '../../ui/tables/held-rows.tsx';
import { useListViews } from '../../ui/tables/list-views.ts';
import { Paging } from '../../ui/tables/paging.tsx';
import { ViewMenu } from '../../ui/tables/view-menu.tsx';
import { NoPayments } from './no-payments.tsx';
import { paymentFields, usePaymentColumns } from './payment-columns.tsx';
import { PaymentFilters, paymentFilterNames } from './payment-filters.tsx';
import { shownStatus } from './shown-status.ts';

export default function PaymentsPage() {
  const text = useText();
  const place = usePlace();
  const { filters, setFilters, clear, hasFilters } = useFilters(paymentFilterNames);
  const views = useListViews('payments', usePaymentColumns());
  const payments = useListPage('transactions.list', { ...filters, ...paymentFields, pageSize: 25 }, place);
  const held = useHeldRows({
    rows: payments.data?.data,
    // Rows of an earlier visit are replaced without asking.
    isPlaceholder: payments.isPlaceholderData || (payments.isFetching && !payments.isFetchedAfterMount),
    keyOf,
    list: JSON.stringify({ ...filters, ...place }),
  });
  // New rows appear only on the first page; later pages get rows of the pages before.
  const isFirst = place.page === 1 && place.cursor === '';
  const rows = isFirst ? held.rows : payments.data?.data;
  return (
    <Page
      title={text('payments.title')}
      actions={
        <>
          <ViewMenu list={views} />
          <ExportButton operation="transactions.list" query={filters} />
          <FinanceMenu files={['finances.payments']} query={filters} />
        </>
      }
    >
      <StatusTabs filters={filters} onStatus={(status) => setFilters({ status })} />
      <PaymentFilters filters={filters} onChange={setFilters} />
      <ErrorNote error={payments.error} onRetry={() => payments.refetch()} />
      <WithArrivals
        arrived={isFirst ? held.arrived : 0}
        onShow={held.show}
        label={text.count('payments.arrived', held.arrived)}
      >
        <DataTable
          caption={text('payments.title')}
          columns={views.shown}
          rows={views.isReady ? rows : undefined}
          keyOf={keyOf}
          linkOf={({ id }) => `/payments/${id}`}
          amountOf={(payment) => ({ ...payment, status: shownStatus(payment) })}
          empty={<NoPayments isFiltered={hasFilters} onClear={clear} />}
        />
      </WithArrivals>
      <Paging pagination={payments.data?.pagination} isEmpty={rows?.length === 0} onPlace={setFilters} />
    </Page>
  );
}

const keyOf = ({ id }: { id: string }) => id;

type Filters = Record<(typeof paymentFilterNames)[number], string>;

/** The statuses, with the number of payments of each. */
function StatusTabs({ filters, onStatus }: { filters: Filters; onStatus: (status: string) => void }) {
  const text = useText();
  const { locale } = usePreferences();
  const { status, search, customerId, amountFrom, amountTo, ...counted } = filters;
  // The totals are by UTC day and do not support every filter.
  const isCountable =
    ![search, customerId, amountFrom, amountTo].some(Boolean) &&
    !`${filters.startDate}${filters.endDate}`.includes('T');
  const query = { ...counted, startDate: counted.startDate || '2000-01-01' };
  const summary = useRead('statistics.summary', query, { enabled: isCountable });
  const numbers = new Intl.NumberFormat(locale);
  const countOf = (name: string) => summary.data?.data.statuses.find((one) => one.status === name)?.count ?? 0;
  return (
    <Tabs value={status || 'ALL'} onChange={(value) => onStatus(value === 'ALL' ? '' : (value ?? ''))}>
      <Tabs.List className="scrolled">
        {['ALL', ...transactionsListStatus].map((name) => (
          <Tabs.Tab key={name} value={name} px="sm">
            {text(`status.${name}` as TextKey)}
            {isCountable && summary.data !== undefined && (
              <Text span size="xs" c="dimmed" ml={6}>
                {numbers.format(name === 'ALL' ? summary.data.data.count : countOf(name))}
              </Text>
            )}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
