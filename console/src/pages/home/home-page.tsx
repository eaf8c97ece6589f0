import { lazy, Suspense } from 'react';
import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { useFilters } from '../../ui/filters/use-filters.ts';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { ZoneOfTimes } from '../../ui/tables/paging.tsx';
import { paymentFields, usePaymentColumns } from '../payments/payment-columns.tsx';
import { Alerts } from './alerts.tsx';
import { Checklist } from './checklist.tsx';
import { rangeOf } from './range.ts';
import { RangeFilter } from './range-filter.tsx';
import { Tiles } from './tiles.tsx';

const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }));

const filterNames = ['startDate', 'endDate'] as const;

export default function HomePage() {
  const text = useText();
  const { filters, setFilters } = useFilters(filterNames);
  const range = rangeOf(filters, Date.now());
  const mayRead = useMay('transaction_read');
  return (
    <Page title={text('home.title')}>
      <Alerts />
      <Checklist />
      {mayRead ? (
        <>
          <RangeFilter range={range} onChange={setFilters} />
          <Tiles range={range} />
          <Suspense fallback={null}>
            <Charts range={range} />
          </Suspense>
          <LatestPayments />
        </>
      ) : (
        <EmptyState title={text('home.noPayments')} />
      )}
    </Page>
  );
}

function LatestPayments() {
  const text = useText();
  const columns = usePaymentColumns();
  const latest = useRead('transactions.list', { ...paymentFields, pageSize: 10 });
  if (latest.data?.data.length === 0) return null;
  return (
    <Section title={text('home.latest')} actions={<LinkText href="/payments">{text('home.all')}</LinkText>}>
      <ErrorNote error={latest.error} onRetry={() => latest.refetch()} />
      <DataTable
        caption={text('home.latest')}
        columns={columns}
        rows={latest.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/payments/${id}`}
        empty={null}
      />
      {latest.data !== undefined && <ZoneOfTimes />}
    </Section>
  );
}
