import { Text } from '@mantine/core';
import type { Delivery } from '../../api/client.ts';
import { RelativeTime, Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { DottedName } from '../../ui/dotted-name.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import type { Column } from '../../ui/tables/data-table.tsx';

/** A delivery that is overdue waits for its endpoint, which is paused or slow. */
export function NextTry({ time }: { time: string }) {
  const text = useText();
  if (Date.parse(time) < Date.now()) return <>{text('deliveries.waiting')}</>;
  return <RelativeTime value={time} />;
}

/** Distinguishes open deliveries that have failed before, because they need attention. */
export function shownState({ state, attemptCount }: Pick<Delivery, 'state' | 'attemptCount'>): string {
  return state === 'OPEN' && attemptCount > 0 ? 'RETRYING' : state;
}

export function useDeliveryColumns(): Column<Delivery>[] {
  const text = useText();
  return [
    {
      id: 'created',
      header: text('payments.created'),
      cell: ({ createdTime }) => <Time value={createdTime} precise />,
    },
    {
      id: 'status',
      header: text('payments.status'),
      cell: (delivery) => <StatusBadge status={shownState(delivery)} />,
    },
    { id: 'type', header: text('events.type'), cell: ({ eventType }) => <DottedName name={eventType} /> },
    {
      id: 'endpoint',
      header: text('deliveries.endpoint'),
      from: 'xl',
      cell: ({ url }) => (
        <Text size="sm" maw={200} truncate title={url}>
          {url}
        </Text>
      ),
    },
    {
      id: 'attempts',
      header: text('deliveries.attempts'),
      isNumber: true,
      from: 'sm',
      cell: ({ attemptCount }) => attemptCount,
    },
    {
      id: 'last',
      header: text('deliveries.last'),
      from: 'md',
      cell: ({ lastStatus, lastOutcome }) => lastStatus ?? lastOutcome ?? '–',
    },
    {
      id: 'next',
      header: text('deliveries.next'),
      from: 'md',
      cell: ({ state, nextAttemptTime }) =>
        state === 'OPEN' && nextAttemptTime !== null ? <NextTry time={nextAttemptTime} /> : '–',
    },
    {
      id: 'id',
      header: 'ID',
      isExtra: true,
      cell: ({ id }) => (
        <Text ff="monospace" size="xs">
          {id}
        </Text>
      ),
    },
  ];
}
