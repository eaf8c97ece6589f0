import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ListName, pathOf, type Query } from '../../api/client.ts';
import { downloadCsv } from '../../api/download.ts';
import { useScopedQuery } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { Icon } from '../icons.tsx';
import { ErrorNote } from '../notes.tsx';

/** Saves the rows that match the filters as CSV. */
export function ExportButton({ operation, query }: { operation: ListName; query: Query }) {
  const text = useText();
  const path = pathOf(operation);
  const shown = useScopedQuery(path, query);
  const name = path.split('/')[2] ?? 'export';
  const saving = useMutation({
    mutationFn: () => downloadCsv(operation, shown, `${name}.csv`),
  });
  return (
    <>
      <ErrorNote error={saving.error} />
      <Button
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        loading={saving.isPending}
        onClick={() => saving.mutate()}
        aria-label={text('common.export')}
      >
        CSV
      </Button>
    </>
  );
}
