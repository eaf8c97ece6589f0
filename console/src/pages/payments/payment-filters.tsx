import { Group, Select, TextInput } from '@mantine/core';
import { useRead } from '../../api/hooks.ts';
import type { Channel } from '../../api/records.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';

export const paymentFilterNames = ['status', 'channelId', 'startDate', 'endDate', 'userId'] as const;
type Name = (typeof paymentFilterNames)[number];

interface PaymentFiltersProps {
  filters: Record<Name, string>;
  onChange: (changed: Partial<Record<Name, string>>) => void;
}

export function PaymentFilters({ filters, onChange }: PaymentFiltersProps) {
  const text = useText();
  const mayReadChannels = useMay('channel_read');
  const channels = useRead<Channel[]>('/api/channel/list', {}, { enabled: mayReadChannels });
  return (
    <Group gap="xs" align="end">
      <TextInput
        type="date"
        size="xs"
        label={text('filters.from')}
        value={filters.startDate}
        max={filters.endDate}
        onChange={({ currentTarget }) => onChange({ startDate: currentTarget.value })}
      />
      <TextInput
        type="date"
        size="xs"
        label={text('filters.to')}
        value={filters.endDate}
        min={filters.startDate}
        onChange={({ currentTarget }) => onChange({ endDate: currentTarget.value })}
      />
      {mayReadChannels && (
        <Select
          size="xs"
          label={text('payments.channel')}
          placeholder={text('filters.any')}
          clearable
          searchable
          data={channels.data?.data.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
          value={filters.channelId || null}
          onChange={(channelId) => onChange({ channelId: channelId ?? '' })}
        />
      )}
    </Group>
  );
}
