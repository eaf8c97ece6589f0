import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLocation } from 'wouter';
import { invoicesListStatus } from '../../api/choices.ts';
import { useText } from '../../shell/preferences.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { SearchFilter } from '../../ui/filters/search-filter.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { ListPage } from '../../ui/tables/list-page.tsx';

import { useInvoiceColumns } from './invoice-columns.tsx';
import { InvoiceModal } from './invoice-modal.tsx';

const filterNames = ['search', 'status', 'customerId', 'subscriptionId'] as const;

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
        viewsOf="invoices"
        filterNames={filterNames}
        actions={add}
        filters={({ filters, setFilters }) => (
          <>
            <SearchFilter value={filters.search} onChange={(search) => setFilters({ search })} />
            <FilterSelect
              label={text('payments.status')}
              options={invoicesListStatus}
              value={filters.status}
              onChange={(status) => setFilters({ status })}
            />
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
