import { Button, Text } from '@mantine/core';
import { useText } from '../../shell/preferences.tsx';
import { CodeBlock } from '../../ui/copy.tsx';
import { EmptyState } from '../../ui/notes.tsx';

/** No payment matches, or there is none at all: then a first one can be made right here. */
export function NoPayments({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const text = useText();
  if (isFiltered) {
    return (
      <EmptyState title={text('payments.noneMatch')}>
        <Button variant="default" onClick={onClear} w="fit-content">
          {text('filters.clear')}
        </Button>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={text('payments.none')}>
      <Text size="sm">{text('payments.noneHint')}</Text>
      <CodeBlock value={curlToCreate(location.origin)} />
    </EmptyState>
  );
}

function curlToCreate(origin: string): string {
  return `curl -s ${origin}/api/transaction/create \\
  -H "Authorization: ApiKey $FLORIN_API_KEY" -H 'Content-Type: application/json' \\
  -d '{"amount":1999,"currency":"USD","channelId":1}'`;
}
