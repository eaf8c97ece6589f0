import { Group, Text } from '@mantine/core';
import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { DottedName } from '../../ui/dotted-name.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { Section } from '../../ui/page.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { shownState } from '../webhooks/delivery-columns.tsx';

/** The events about a record, with their deliveries. */
export function ObjectEvents({ objectId }: { objectId: string }) {
  const text = useText();
  const events = useRead('events.list', { objectId, pageSize: 50 });
  return (
    <Section title={text('events.ofRecord')}>
      <DataTable
        caption={text('events.ofRecord')}
        columns={[
          { header: text('events.type'), cell: ({ type }) => <DottedName name={type} /> },
          { header: text('events.deliveries'), cell: ({ id }) => <EventDeliveries eventId={id} /> },
          {
            header: text('payments.created'),
            from: 'sm',
            cell: ({ createdTime }) => <Time value={createdTime} precise />,
          },
        ]}
        rows={events.data?.data}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/events/${id}`}
        empty={
          <Text size="sm" c="dimmed">
            {text('events.noneOfRecord')}
          </Text>
        }
      />
    </Section>
  );
}

function EventDeliveries({ eventId }: { eventId: string }) {
  const text = useText();
  const mayRead = useMay('webhook_read');
  const deliveries = useRead('webhooks.deliveries.list', { eventId, pageSize: 10 }, { enabled: mayRead });
  if (deliveries.data?.data.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        {text('events.noEndpoint')}
      </Text>
    );
  }
  return (
    <Group gap={4}>
      {deliveries.data?.data.map((delivery) => (
        <LinkText key={delivery.id} href={`/deliveries/${delivery.id}`}>
          <StatusBadge status={shownState(delivery)} />
        </LinkText>
      ))}
    </Group>
  );
}
