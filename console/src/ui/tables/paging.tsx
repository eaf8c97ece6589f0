import { Button, Group, Text } from '@mantine/core';
import type { Pagination } from '../../api/client.ts';
import type { Place } from '../../api/hooks.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { usePlace } from '../filters/use-filters.ts';

interface PagingProps {
  pagination: Pagination | undefined;
  /** Whether the page has no rows. */
  isEmpty?: boolean;
  onPlace: (place: Partial<Place>) => void;
}

/** The range and the page buttons under a paged list. */
export function Paging({ pagination, isEmpty = false, onPlace }: PagingProps) {
  const text = useText();
  const { locale } = usePreferences();
  if (pagination === undefined) return null;
  const { page = 1, pageSize = 1, total, totalPages = 0, nextCursor } = pagination;
  if (isEmpty && page === 1 && !nextCursor) return null;
  if (total === undefined) return <CursorPaging nextCursor={nextCursor ?? ''} onPlace={onPlace} />;
  if (total === 0) return null;
  const numbers = new Intl.NumberFormat(locale);
  const values = {
    from: numbers.format((page - 1) * pageSize + 1),
    to: numbers.format(Math.min(page * pageSize, total)),
    total: numbers.format(total),
  };
  return (
    <Group justify="space-between">
      <ZoneOfTimes before={`${text('paging.range', values)} · `} />
      {totalPages > 1 && (
        <Group gap="xs">
          <Button variant="default" size="xs" disabled={page <= 1} onClick={() => onPlace({ page: page - 1 })}>
            {text('paging.previous')}
          </Button>
          <Button variant="default" size="xs" disabled={page >= totalPages} onClick={() => onPlace({ page: page + 1 })}>
            {text('paging.next')}
          </Button>
        </Group>
      )}
    </Group>
  );
}

interface CursorPagingProps {
  /** Empty: no rows follow. */
  nextCursor: string;
  onPlace: (place: Partial<Place>) => void;
}

/** The buttons of a list whose rows are not counted. The back button of the browser leads to the page before. */
function CursorPaging({ nextCursor, onPlace }: CursorPagingProps) {
  const text = useText();
  const { cursor } = usePlace();
  return (
    <Group justify="space-between">
      <ZoneOfTimes />
      {(cursor !== '' || nextCursor !== '') && (
        <Group gap="xs">
          <Button variant="default" size="xs" disabled={cursor === ''} onClick={() => onPlace({ cursor: '' })}>
            {text('paging.first')}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={nextCursor === ''}
            onClick={() => onPlace({ cursor: nextCursor })}
          >
            {text('paging.next')}
          </Button>
        </Group>
      )}
    </Group>
  );
}

/** The zone of the times in a table, whose rows leave it out. */
export function ZoneOfTimes({ before = '' }: { before?: string }) {
  const text = useText();
  const { timeZone } = usePreferences();
  return (
    <Text size="sm" c="dimmed">
      {before}
      {text('paging.zone', { zone: timeZone })}
    </Text>
  );
}
