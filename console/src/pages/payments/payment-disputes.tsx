import type { TransactionDetail } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { useDisputeColumns } from '../disputes/dispute-columns.tsx';

/** The disputes of a payment; nothing if it has none. */
export function PaymentDisputes({ payment: { id, livemode } }: { payment: TransactionDetail }) {
  const text = useText();
  const columns = useDisputeColumns();
  const disputes = useRead('disputes.list', { transactionId: id, livemode }).data?.data ?? [];
  if (disputes.length === 0) return null;
  return (
    <Section title={text('disputes.title')}>
      <DataTable
        caption={text('disputes.title')}
        columns={columns}
        rows={disputes}
        keyOf={(dispute) => dispute.id}
        linkOf={(dispute) => `/disputes/${dispute.id}`}
        empty={null}
      />
    </Section>
  );
}
