import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLocation } from 'wouter';
import { useText } from '../../shell/preferences.tsx';
import { AmountFilter } from '../../ui/filters/amount-filter.tsx';
import { CustomerFilter } from '../../ui/filters/customer-filter.tsx';
import { SearchFilter } from '../../ui/filters/search-filter.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';
import { useInvoiceColumns } from './invoice-columns.tsx';
import { InvoiceModal } from './invoice-modal.tsx';
import { InvoiceTabs } from './invoice-tabs.tsx';

const amounts = ['currency', 'amountFrom', 'amountTo'] as const;
const times = ['startDate', 'endDate'] as const;
const filterNames = ['search', 'status', 'dueTo', 'customerId', 'subscriptionId', ...times, ...amounts] as const;

export default function InvoicesPage() {
  const text = useText();
  const [, navigate] = useLocation();
  const [isCreating, { open, close }] = useDisclosure(false);
  const columns = useInvoiceColumns();
  const add = (
    <PermittedButton needs="invoice_write" onClick={open} w="fit-content">
      {text('invoices.add')}
    </PermittedButton>
  );
  return (
    <>
      <ListPage
        title={text('invoices.title')}
        operation="invoices.list"
        isExported
        financeFiles={['finances.invoices', 'finances.taxes']}
        viewsOf="invoices"
        filterNames={filterNames}
        actions={add}
        amountOf={({ total, currency, status }) => ({ amount: total, currency, status })}
        tabs={({ filters, setFilters }) => <InvoiceTabs filters={filters} onChange={setFilters} />}
        filters={({ filters, setFilters }) => (
          <>
            <SearchFilter value={filters.search} onChange={(search) => setFilters({ search })} />
            <TimeFilters filters={filters} onChange={setFilters} />
            <CustomerFilter value={filters.customerId} onChange={(customerId) => setFilters({ customerId })} />
            <AmountFilter filters={filters} onChange={setFilters} />
          </>
        )}
        columns={columns}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/invoices/${id}`}
        empty={() => (
          <EmptyState title={text('invoices.none')}>
            <Text size="sm">{text('invoices.noneHint')}</Text>
            {add}
          </EmptyState>
        )}
      />
      <InvoiceModal opened={isCreating} onClose={close} onSaved={(id) => navigate(`/invoices/${id}`)} />
    </>
  );
}
