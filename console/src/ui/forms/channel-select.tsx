import { Alert, Select, type SelectProps } from '@mantine/core';
import type { ChannelListItem } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { LinkText } from '../link-text.tsx';

/**
 * The channels that take payments in a currency, read when the dialog opens; undefined: not known yet, or the user may
 * not read channels.
 */
export function useUsableChannels(currency: string | undefined, isOpen = true): ChannelListItem[] | undefined {
  const mayReadChannels = useMay('channel_read');
  const channels = useRead('channels.list', {}, { enabled: mayReadChannels && isOpen, isFresh: true });
  const usable = channels.data?.data.filter(
    ({ state, currency: taken }) => state && (currency === undefined || taken.split(',').includes(currency)),
  );
  // Those of a moment ago: one may have been added since.
  return usable?.length === 0 && channels.isFetching ? undefined : usable;
}

interface ChannelSelectProps extends SelectProps {
  /** Undefined: not known yet. */
  currency: string | undefined;
  /** Whether another record already names a channel that is used without a choice. */
  isOptional: boolean;
}

/** A channel that takes the currency. Without one it says so and leads to the channels. */
export function ChannelSelect({ currency, isOptional, description, ...rest }: ChannelSelectProps) {
  const text = useText();
  const channels = useUsableChannels(currency);
  if (channels?.length === 0) return <NoChannel currency={currency ?? ''} />;
  const [only] = channels?.length === 1 ? channels : [];
  return (
    <Select
      // The key remounts the field when other channels can be chosen.
      key={`${currency} ${channels?.length} ${isOptional}`}
      name="channelId"
      label={text('payments.channel')}
      description={isOptional ? description : undefined}
      data={channels?.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
      defaultValue={only !== undefined && !isOptional ? String(only.id) : null}
      required={!isOptional}
      clearable={isOptional}
      allowDeselect={isOptional}
      {...rest}
    />
  );
}

export function NoChannel({ currency }: { currency: string }) {
  const text = useText();
  return (
    <Alert color="yellow" title={text('checkouts.noChannel', { currency })}>
      <LinkText href="/channels">{text('channels.title')}</LinkText>
    </Alert>
  );
}
