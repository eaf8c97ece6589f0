import { Badge, Card, Group, SimpleGrid, Skeleton, Text, Title } from '@mantine/core';
import { useState } from 'react';
import type { ChannelListItem } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useMay, useProfile } from '../../session/session.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { PermittedButton } from '../../ui/permitted.tsx';
import { Copyable } from '../../ui/secrets/copy.tsx';
import { dayOf } from '../home/days.ts';
import { AddSandbox } from './add-sandbox.tsx';
import { ChannelModal } from './channel-modal.tsx';

export default function ChannelsPage() {
  const text = useText();
  const channels = useRead('channels.list');
  const [edited, setEdited] = useState<ChannelListItem | 'new'>();
  const isEmpty = channels.data?.data.length === 0;
  return (
    <Page
      title={text('channels.title')}
      actions={
        <>
          {!isEmpty && <AddSandbox channels={channels.data?.data} />}
          <PermittedButton needs="channel_write" onClick={() => setEdited('new')}>
            {text('channels.add')}
          </PermittedButton>
        </>
      }
    >
      <ErrorNote error={channels.error} onRetry={() => channels.refetch()} />
      {channels.data === undefined && <Skeleton height={140} />}
      {isEmpty && (
        <EmptyState title={text('channels.none')}>
          <Text size="sm">{text('channels.noneHint')}</Text>
          <AddSandbox channels={channels.data?.data} />
        </EmptyState>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
        {channels.data?.data.map((channel) => (
          <ChannelCard key={channel.id} channel={channel} onEdit={() => setEdited(channel)} />
        ))}
      </SimpleGrid>
      {edited !== undefined && (
        <ChannelModal channel={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  );
}

function ChannelCard({ channel, onEdit }: { channel: ChannelListItem; onEdit: () => void }) {
  const text = useText();
  const { tenantId } = useProfile();
  const { name, code, state, provider, type, currency, country, callbackUrl } = channel;
  const isOwn = channel.tenantId === tenantId || tenantId === null;
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" wrap="nowrap" align="start">
        <Title order={2}>{name}</Title>
        <Badge color={state ? 'green' : 'gray'}>{text(state ? 'state.active' : 'state.inactive')}</Badge>
      </Group>
      <Text size="sm" c="dimmed" mb="xs">
        {code} · {provider ?? text('channels.noProvider')} · {type}
      </Text>
      <Text size="sm">
        {currency.replaceAll(',', ', ')} · {country}
      </Text>
      <DaySuccess channelId={channel.id} />
      {callbackUrl !== null && (
        <>
          <Text size="xs" c="dimmed" mt="xs">
            {text('channels.callbackUrl')}
          </Text>
          <Copyable value={callbackUrl} />
        </>
      )}
      <Group mt="md">
        <PermittedButton
          needs="channel_write"
          variant="default"
          size="xs"
          onClick={onEdit}
          unavailable={isOwn ? undefined : text('channels.ofPlatform')}
        >
          {text('common.edit')}
        </PermittedButton>
      </Group>
    </Card>
  );
}

/** How many of the charges of today and yesterday have succeeded. */
function DaySuccess({ channelId }: { channelId: number }) {
  const text = useText();
  const { locale } = usePreferences();
  const mayRead = useMay('transaction_read');
  const query = { channelId, startDate: dayOf(-1), endDate: dayOf(0) };
  const { data } = useRead('statistics.summary', query, { enabled: mayRead });
  const charges = data?.data.charges;
  const ended = charges ? charges.succeeded + charges.failed : 0;
  if (!mayRead || charges === undefined || charges === null || ended === 0) {
    return (
      <Text size="sm" c="dimmed">
        {text('channels.noCharges')}
      </Text>
    );
  }
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  return (
    <Text size="sm">
      {text('channels.success', { share: share.format(charges.succeeded / ended), n: charges.succeeded, of: ended })}
    </Text>
  );
}
