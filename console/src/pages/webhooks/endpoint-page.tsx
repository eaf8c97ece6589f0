import { Group, Text } from '@mantine/core';
import { useState } from 'react';
import { webhooksDeliveriesListState } from '../../api/choices.ts';
import type { WebhookEndpoint } from '../../api/client.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useModeOf } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { useFilters } from '../../ui/filters/use-filters.ts';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { CursorList } from '../../ui/tables/cursor-list.tsx';
import { useDeliveryColumns } from './delivery-columns.tsx';
import { type EndpointDialog, EndpointDialogs } from './endpoint-dialogs.tsx';
import { EndpointState } from './webhooks-page.tsx';

const filterNames = ['state'] as const;

export default function EndpointPage({ id }: { id: string }) {
  const text = useText();
  // A list has one mode, and the address does not tell which one.
  const live = useRead('webhooks.list', { pageSize: 100, livemode: true });
  const test = useRead('webhooks.list', { pageSize: 100, livemode: false });
  const all = [...(live.data?.data ?? []), ...(test.data?.data ?? [])];
  const endpoint = all.find((one) => String(one.id) === id);
  const isInItsMode = useModeOf(endpoint);
  if (endpoint !== undefined) return isInItsMode && <Endpoint endpoint={endpoint} />;
  return (
    <Page title={text('webhooks.endpoint')}>
      <ErrorNote error={live.error ?? test.error} />
      {live.isSuccess && test.isSuccess && <EmptyState title={text('record.absent')} />}
    </Page>
  );
}

function Endpoint({ endpoint }: { endpoint: WebhookEndpoint }) {
  const text = useText();
  const [dialog, setDialog] = useState<EndpointDialog>();
  const ping = useChange('webhooks.test');
  const { filters, setFilters } = useFilters(filterNames);
  const columns = useDeliveryColumns().filter(({ header }) => header !== text('deliveries.endpoint'));
  const isActive = endpoint.state;
  return (
    <Page
      title={text('webhooks.endpoint')}
      beside={<EndpointState endpoint={endpoint} />}
      actions={
        <>
          <PermittedButton
            needs="webhook_write"
            variant="default"
            loading={ping.isPending}
            onClick={() => ping.mutate({ body: { id: endpoint.id } })}
            unavailable={isActive ? undefined : text('webhooks.isInactive')}
          >
            {text('webhooks.test')}
          </PermittedButton>
          <PermittedButton
            needs="webhook_write"
            variant="default"
            onClick={() => setDialog('replay')}
            unavailable={isActive ? undefined : text('webhooks.isInactive')}
          >
            {text('webhooks.replay')}
          </PermittedButton>
          <PermittedButton needs="webhook_write" variant="default" onClick={() => setDialog('edit')}>
            {text('common.edit')}
          </PermittedButton>
          <PermittedButton needs="webhook_write" variant="default" onClick={() => setDialog('rotate')}>
            {text('webhooks.rotate')}
          </PermittedButton>
          <PermittedButton needs="webhook_write" variant="default" c="red" onClick={() => setDialog('remove')}>
            {text('common.remove')}
          </PermittedButton>
        </>
      }
    >
      <ErrorNote error={ping.error} />
      <EndpointFacts endpoint={endpoint} />
      <Section
        title={text('events.deliveries')}
        actions={
          <Group>
            <FilterSelect
              label={text('payments.status')}
              options={webhooksDeliveriesListState}
              value={filters.state}
              onChange={(state) => setFilters({ state })}
            />
          </Group>
        }
      >
        <CursorList
          caption={text('events.deliveries')}
          operation="webhooks.deliveries.list"
          query={{ endpointId: endpoint.id, ...filters }}
          columns={columns}
          keyOf={(delivery) => delivery.id}
          linkOf={(delivery) => `/deliveries/${delivery.id}`}
          pollMs={5_000}
          empty={
            <EmptyState title={text('deliveries.none')}>
              <Text size="sm">{text('deliveries.noneHint')}</Text>
            </EmptyState>
          }
        />
      </Section>
      <EndpointDialogs endpoint={endpoint} dialog={dialog} onClose={() => setDialog(undefined)} />
    </Page>
  );
}

function EndpointFacts({ endpoint }: { endpoint: WebhookEndpoint }) {
  const text = useText();
  return (
    <Facts
      facts={[
        [text('webhooks.url'), endpoint.url],
        [text('webhooks.events'), endpoint.events.join(', ')],
        [text('webhooks.failingSince'), endpoint.failingSince && <Time key="since" value={endpoint.failingSince} />],
        [
          text('webhooks.pausedUntil'),
          endpoint.pausedUntil && <Time key="until" value={endpoint.pausedUntil} precise />,
        ],
        [text('webhooks.maxInFlight'), endpoint.maxInFlight],
        [text('webhooks.ratePerSecond'), endpoint.ratePerSecond],
        [text('webhooks.nextSecret'), endpoint.nextSecret && (endpoint.promoteAt ?? text('webhooks.staged'))],
        [text('payments.created'), <Time key="created" value={endpoint.createdTime} />],
      ]}
    />
  );
}
