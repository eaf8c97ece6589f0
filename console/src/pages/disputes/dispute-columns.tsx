import type { DisputeListItem } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/tables/data-table.tsx';
import { Deadline } from './deadline.tsx';

/** The columns of disputes, here and on the page of a payment. `further` comes before the amount. */
export function useDisputeColumns(...further: Column<DisputeListItem>[]): Column<DisputeListItem>[] {
  const text = useText();
  return [
    { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} /> },
    { header: text('payments.status'), cell: ({ status }) => <StatusBadge status={status} /> },
    { header: text('disputes.respondBy'), cell: (dispute) => <Deadline dispute={dispute} /> },
    {
      header: text('disputes.reason'),
      from: 'sm',
      cell: ({ reason }) => text(`disputes.reason.${reason}` as TextKey),
    },
    ...further,
    {
      header: text('payments.amount'),
      isNumber: true,
      cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
    },
  ];
}
