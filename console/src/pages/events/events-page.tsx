import { eventTypes } from '@florin/server/core/event-types.ts';
import { Text, TextInput } from '@mantine/core';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { DottedName } from '../../ui/dotted-name.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';
import { useFilters } from '../../ui/filters/use-filters.ts';
import { LinkText } from '../../ui/link-text.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { CursorList } from '../../ui/tables/cursor-list.tsx';

const filterNames = ['type', 'objectId', 'startDate', 'endDate'] as const;

export default function EventsPage() {
  const text = useText();
  const { filters, setFilters, hasFilters } = useFilters(filterNames);
  return (
    <Page title={text('events.title')}>
      <FilterBar>
        <TimeFilters filters={filters} onChange={setFilters} />
        <FilterSelect
          label={text('events.type')}
          value={filters.type}
          options={eventTypes.map((type) => ({ value: type, label: type }))}
          onChange={(type) => setFilters({ type })}
        />
        <TextInput
          size="xs"
          label={text('events.record')}
          defaultValue={filters.objectId}
          onBlur={({ currentTarget }) => setFilters({ objectId: currentTarget.value.trim() })}
        />
      </FilterBar>
      <CursorList
        caption={text('events.title')}
        operation="events.list"
        query={filters}
        columns={[
          { header: text('payments.created'), cell: ({ createdTime }) => <Time value={createdTime} precise /> },
          { header: text('events.type'), cell: ({ type }) => <DottedName name={type} /> },
          { header: text('events.record'), from: 'sm', cell: ({ objectId }) => objectId },
        ]}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/events/${id}`}
        empty={
          <EmptyState title={text('events.none')}>
            {!hasFilters && (
              <>
                <Text size="sm">{text('events.noneYet')}</Text>
                <LinkText href="/welcome">{text('firstRun.open')}</LinkText>
              </>
            )}
          </EmptyState>
        }
      />
    </Page>
  );
}
