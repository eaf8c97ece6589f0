import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';

export function PaymentRefunds({ transactionId }: { transactionId: string }) {
  const text = useText();
  const refunds = useRead('refunds.list', { transactionId, pageSize: 100 });
  return (
    <Section title={text('refunds.title')}>
      <DataTable
        caption={text('refunds.title')}
        columns={[
          { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
          { header: text('payments.status'), cell: ({ status }) => <StatusBadge status={status} /> },
          {
            header: text('payments.amount'),
            isNumber: true,
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
          { header: text('payment.reason'), from: 'sm', cell: ({ reason }) => reason },
        ]}
        rows={refunds.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/refunds/${id}`}
        empty={null}
      />
    </Section>
  );
}
