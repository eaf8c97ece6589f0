import { Checkbox, Text } from '@mantine/core';
import { useState } from 'react';
import { webhooksDeliveriesListState } from '../../api/choices.ts';
import type { Delivery } from '../../api/client.ts';
import { call } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';
import { useFilters } from '../../ui/filters/use-filters.ts';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { CursorList } from '../../ui/tables/cursor-list.tsx';
import type { Column } from '../../ui/tables/data-table.tsx';
import { useListViews } from '../../ui/tables/list-views.ts';
import { ViewMenu } from '../../ui/tables/view-menu.tsx';
import { useDeliveryColumns } from './delivery-columns.tsx';

const filterNames = ['state', 'endpointId', 'eventType', 'startDate', 'endDate'] as const;

/** All deliveries. The user can choose several to replay. */
export default function DeliveriesPage() {
  const text = useText();
  const { filters, setFilters, hasFilters } = useFilters(filterNames);
  const endpoints = useRead('webhooks.list', { pageSize: 100 });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<Error>();
  const views = useListViews('deliveries', useDeliveryColumns());

  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const choice: Column<Delivery> = {
    header: text('deliveries.choose'),
    isControl: true,
    cell: ({ id, state }) => (
      <Checkbox
        size="xs"
        style={{ position: 'relative', zIndex: 1 }}
        disabled={state === 'OPEN'}
        checked={chosen.has(id)}
        onChange={() => toggle(id)}
        aria-label={text('deliveries.chooseOne', { id })}
      />
    ),
  };
  async function replayChosen() {
    setError(undefined);
    try {
      for (const deliveryId of chosen) {
        await call('webhooks.replay', { deliveryId });
        // Removed one by one, so that after a failure the button does not replay them again.
        setChosen((left) => new Set([...left].filter((id) => id !== deliveryId)));
      }
    } catch (caught) {
      setError(caught as Error);
    }
  }

  return (
    <Page
      title={text('events.deliveries')}
      actions={
        <>
          <ViewMenu list={views} />
          <PermittedButton
            needs="webhook_write"
            onClick={replayChosen}
            unavailable={chosen.size === 0 ? text('deliveries.chooseFirst') : undefined}
          >
            {chosen.size === 0 ? text('deliveries.replayChosen') : text.count('deliveries.replay', chosen.size)}
          </PermittedButton>
        </>
      }
    >
      <FilterBar>
        <TimeFilters filters={filters} onChange={setFilters} />
        <FilterSelect
          label={text('payments.status')}
          options={webhooksDeliveriesListState}
          value={filters.state}
          onChange={(state) => setFilters({ state })}
        />
        <FilterSelect
          label={text('deliveries.endpoint')}
          options={endpoints.data?.data.map(({ id, url }) => ({ value: String(id), label: url })) ?? []}
          value={filters.endpointId}
          onChange={(endpointId) => setFilters({ endpointId })}
        />
      </FilterBar>
      <ErrorNote error={error} />
      <CursorList
        caption={text('events.deliveries')}
        operation="webhooks.deliveries.list"
        query={filters}
        columns={[choice, ...views.shown]}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/deliveries/${id}`}
        pollMs={5_000}
        empty={
          <EmptyState title={text('deliveries.none')}>
            {!hasFilters && (
              <>
                <Text size="sm">{text('deliveries.noneYet')}</Text>
                <LinkText href="/webhooks">{text('webhooks.title')}</LinkText>
              </>
            )}
          </EmptyState>
        }
      />
    </Page>
  );
}
