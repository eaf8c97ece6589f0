import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { pathOfRecord } from '../../ui/records/record-paths.ts';
import { CodeBlock, Copyable } from '../../ui/secrets/copy.tsx';
import { CursorList } from '../../ui/tables/cursor-list.tsx';
import { useDeliveryColumns } from '../webhooks/delivery-columns.tsx';

export default function EventPage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('events.get', { id });
  const mayReadWebhooks = useMay('webhook_read');
  const columns = useDeliveryColumns();
  return (
    <RecordPage title={text('event.title')} listPath="/events" read={read}>
      {(event) => (
        <Page title={event.type}>
          <Facts
            facts={[
              ['ID', <Copyable key="id" value={event.id} />],
              [
                text('events.record'),
                <LinkText key="record" href={pathOfRecord(event)}>
                  {event.objectId}
                </LinkText>,
              ],
              [text('payments.created'), <Time key="created" value={event.createdTime} precise />],
            ]}
          />
          {mayReadWebhooks && (
            <Section title={text('events.deliveries')}>
              <CursorList
                caption={text('events.deliveries')}
                operation="webhooks.deliveries.list"
                query={{ eventId: id }}
                columns={columns}
                keyOf={({ id: deliveryId }) => deliveryId}
                linkOf={({ id: deliveryId }) => `/deliveries/${deliveryId}`}
                empty={<EmptyState title={text('events.noEndpoint')} />}
                pollMs={5_000}
              />
            </Section>
          )}
          <Section title={text('event.payload')}>
            <CodeBlock value={JSON.stringify(event.payload, null, 2)} />
          </Section>
        </Page>
      )}
    </RecordPage>
  );
}
