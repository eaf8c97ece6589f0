import type { TransactionDetail } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FailureText } from '../../ui/failure-text.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';

export function PaymentCaptures({ payment: { captures, currency } }: { payment: TransactionDetail }) {
  const text = useText();
  return (
    <Section title={text('captures.title')}>
      <DataTable
        caption={text('captures.title')}
        columns={[
          { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
          { header: text('payments.status'), cell: ({ status }) => <StatusBadge status={status} /> },
          {
            header: text('payments.amount'),
            isNumber: true,
            cell: ({ amount }) => <Money amount={amount} currency={currency} />,
          },
          {
            header: text('payment.failure'),
            from: 'sm',
            cell: ({ failureCode }) => <FailureText code={failureCode} />,
          },
        ]}
        rows={captures}
        keyOf={({ id }) => id}
        empty={null}
      />
    </Section>
  );
}
