import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { useInvoiceColumns } from './invoice-columns.tsx';

interface InvoicesSectionProps {
  query: { customerId: number } | { subscriptionId: number };
  /** The text if there are none. */
  empty: string;
}

/** The invoices of a customer or a subscription. */
export function InvoicesSection({ query, empty }: InvoicesSectionProps) {
  const text = useText();
  const mayRead = useMay('invoice_read');
  const columns = useColumns();
  const read = useRead('invoices.list', query, { enabled: mayRead });
  if (!mayRead) return null;
  return (
    <Section title={text('invoices.title')}>
      <DataTable
        caption={text('invoices.title')}
        columns={columns}
        rows={read.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/invoices/${id}`}
        empty={<EmptyState title={empty} />}
      />
    </Section>
  );
}

/** Without the customer, whom the page names. What is left to pay, and until when, is shown on a phone too. */
function useColumns() {
  const widths: Record<string, 'sm' | undefined> = { total: 'sm', remaining: undefined, due: undefined };
  return useInvoiceColumns()
    .filter(({ id }) => id !== 'customer')
    .map((column) =>
      column.id !== undefined && column.id in widths ? { ...column, from: widths[column.id] } : column,
    );
}
