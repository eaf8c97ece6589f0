import type { TransactionDetail } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { Section } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { Deadline } from '../disputes/deadline.tsx';

/** The disputes of a payment; nothing if it has none. */
export function PaymentDisputes({ payment: { id, livemode } }: { payment: TransactionDetail }) {
  const text = useText();
  const disputes = useRead('disputes.list', { transactionId: id, livemode }).data?.data ?? [];
  if (disputes.length === 0) return null;
  return (
    <Section title={text('disputes.title')}>
      <DataTable
        caption={text('disputes.title')}
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
            header: text('payments.amount'),
            isNumber: true,
            cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
          },
        ]}
        rows={disputes}
        keyOf={(dispute) => dispute.id}
        linkOf={(dispute) => `/disputes/${dispute.id}`}
        empty={null}
      />
    </Section>
  );
}
