import { Text, TextInput } from '@mantine/core';
import { Time } from '../../format/time.tsx';
import { useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';
import { useFilters } from '../../ui/filters/use-filters.ts';
import { EmptyState } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { CursorList } from '../../ui/tables/cursor-list.tsx';
import { HttpStatus } from './http-status.tsx';

const filterNames = ['status', 'method', 'path', 'by', 'keyId', 'userId', 'requestId', 'startDate', 'endDate'] as const;

/** The request log, which shows why requests of a program were refused. */
export default function RequestsPage() {
  const text = useText();
  const { filters, setFilters } = useFilters(filterNames);
  const { unknownKeyRequests } = useProfile();
  // The console itself sends most requests, by its session: they are shown on demand.
  const by = filters.by || (filters.userId === '' && filters.requestId === '' ? 'key' : 'all');
  return (
    <Page title={text('requests.title')}>
      <FilterBar>
        <FilterSelect
          label={text('requests.status')}
          options={['2xx', '4xx', '5xx', '400', '401', '403', '404', '409', '422', '429'].map(plain)}
          value={filters.status}
          onChange={(status) => setFilters({ status })}
        />
        <FilterSelect
          label={text('requests.method')}
          options={['GET', 'POST'].map(plain)}
          value={filters.method}
          onChange={(method) => setFilters({ method })}
        />
        <TextInput
          key={filters.path}
          size="xs"
          label={text('requests.path')}
          placeholder="/api/transaction/"
          defaultValue={filters.path}
          onBlur={({ currentTarget }) => setFilters({ path: currentTarget.value.trim() })}
        />
        <FilterSelect
          label={text('requests.by')}
          options={[
            { value: 'key', label: text('requests.byKey') },
            { value: 'session', label: text('requests.bySession') },
            { value: 'all', label: text('requests.byAll') },
          ]}
          value={by}
          onChange={(chosen) => setFilters({ by: chosen === '' ? 'all' : chosen })}
        />
        <TimeFilters filters={filters} onChange={setFilters} />
      </FilterBar>
      <CursorList
        caption={text('requests.title')}
        operation="requests.list"
        query={{ ...filters, by: by === 'all' ? '' : by }}
        columns={[
          { header: text('audit.time'), cell: ({ createdTime }) => <Time value={createdTime} precise /> },
          { header: text('requests.status'), cell: ({ status }) => <HttpStatus status={status} /> },
          { header: text('requests.request'), cell: ({ method, path }) => `${method} ${path}` },
          { header: text('requests.error'), from: 'md', cell: ({ errorType }) => errorType ?? '–' },
          {
            header: text('requests.by'),
            from: 'lg',
            cell: ({ by, keyId }) =>
              by === 'key' ? `${text('requests.byKey')} ${keyId ?? ''}` : text('requests.bySession'),
          },
          {
            header: text('requests.duration'),
            from: 'md',
            isNumber: true,
            cell: ({ durationMs }) => `${durationMs} ms`,
          },
        ]}
        keyOf={({ id }) => id}
        linkOf={({ id }) => `/requests/${id}`}
        empty={<EmptyState title={text('requests.none')} />}
        pollMs={10_000}
      />
      {unknownKeyRequests !== null && unknownKeyRequests > 0 && (
        <Text size="xs" c="dimmed">
          {text.count('requests.unknownKeys', unknownKeyRequests)}
        </Text>
      )}
    </Page>
  );
}

const plain = (value: string) => ({ value, label: value });
