import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ListName, pathOf, type Query } from '../api/client.ts';
import { downloadCsv } from '../api/download.ts';
import { inMode } from '../api/mode.ts';
import { useMode } from '../shell/mode.tsx';
import { useText } from '../shell/preferences.tsx';
import { Icon } from './icons.tsx';
import { ErrorNote } from './notes.tsx';

/** Exactly the rows of the filters, as CSV. */
export function ExportButton({ operation, query }: { operation: ListName; query: Query }) {
  const text = useText();
  const { livemode } = useMode();
  const path = pathOf(operation);
  const name = path.split('/')[2] ?? 'export';
  const saving = useMutation({
    mutationFn: () => downloadCsv(operation, inMode(path, query, livemode), `${name}.csv`),
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
