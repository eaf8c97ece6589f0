import { Button, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { EmptyState, NothingMatches } from '../../ui/notes.tsx';
import { CodeBlock } from '../../ui/secrets/copy.tsx';
import { curlOf } from './curl.ts';

/** Shown when no payment matches, or when there are none and the first can be created here. */
export function NoPayments({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const text = useText();
  const mayReadChannels = useMay('channel_read');
  const channels = useRead('channels.list', {}, { enabled: mayReadChannels });
  if (isFiltered) return <NothingMatches onClear={onClear} />;
  const channel = channels.data?.data.find(({ state }) => state);
  const currency = channel?.currency.split(',')[0] ?? 'USD';
  return (
    <EmptyState title={text('payments.none')}>
      <Text size="sm">{text('payments.noneHint')}</Text>
      {channel && <CodeBlock value={curlOf({ amount: 1999, currency, channelId: channel.id, description: null })} />}
      <Button component={Link} href="/welcome" w="fit-content">
        {text('firstRun.open')}
      </Button>
    </EmptyState>
  );
}
