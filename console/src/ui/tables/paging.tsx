import { Button, Group, Text } from '@mantine/core';
import type { Pagination } from '../../api/client.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';

interface PagingProps {
  pagination: Pagination | undefined;
  onPage: (page: number) => void;
}

/** The range and the page buttons under a paged list. */
export function Paging({ pagination, onPage }: PagingProps) {
  const text = useText();
  const { locale, timeZone } = usePreferences();
  const { page = 1, pageSize = 1, total = 0, totalPages = 0 } = pagination ?? {};
  if (total === 0) return null;
  const numbers = new Intl.NumberFormat(locale);
  const values = {
    from: numbers.format((page - 1) * pageSize + 1),
    to: numbers.format(Math.min(page * pageSize, total)),
    total: numbers.format(total),
  };
  return (
    <Group justify="space-between">
      <Text size="sm" c="dimmed">
        {text('paging.range', values)} · {text('paging.zone', { zone: timeZone })}
      </Text>
      {totalPages > 1 && (
        <Group gap="xs">
          <Button variant="default" size="xs" disabled={page <= 1} onClick={() => onPage(page - 1)}>
            {text('paging.previous')}
          </Button>
          <Button variant="default" size="xs" disabled={page >= totalPages} onClick={() => onPage(page + 1)}>
            {text('paging.next')}
          </Button>
        </Group>
      )}
    </Group>
  );
}
