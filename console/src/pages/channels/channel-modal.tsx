import { currencyCodes } from '@florin/server/core/currency.ts';
import { MultiSelect, Select, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { channelsModifyCapture, channelsModifyProvider, channelsModifyType } from '../../api/choices.ts';
import type { ChannelListItem } from '../../api/client.ts';
import { useProfile } from '../../session/session.tsx';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { DescriptorField } from '../../ui/forms/descriptor-field.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { SecretField } from './secret-field.tsx';

interface ChannelModalProps {
  /** Undefined: a new one. */
  channel: ChannelListItem | undefined;
  onClose: () => void;
}

/** A channel and its secrets, which can be written but not read. Secrets that are left empty do not change. */
export function ChannelModal({ channel, onClose }: ChannelModalProps) {
  const text = useText();
  const { sandboxEnabled } = useProfile();
  const { livemode } = useMode();
  const [currencies, setCurrencies] = useState(channel?.currency.split(',') ?? ['USD']);
  const [provider, setProvider] = useState(channel?.provider ?? '');
  const providers = channelsModifyProvider.filter(
    (one) => one !== 'sandbox' || sandboxEnabled || provider === 'sandbox',
  );
  return (
    <FormModal
      title={text(channel === undefined ? 'channels.add' : 'channels.edit')}
      submit={text('common.save')}
      opened
      onClose={onClose}
      size="lg"
      operation="channels.modify"
      bodyOf={({ name, code, type, country, apiKey, apiSecret, webhookSecret, state, ...fields }) => ({
        // A sandbox channel is always a test channel.
        ...(channel !== undefined ? { id: channel.id } : provider !== 'sandbox' && { livemode }),
        name,
        code,
        type,
        country: country?.toUpperCase(),
        currency: currencies.join(','),
        provider: provider || null,
        state: state === 'on',
        statementDescriptor: fields.statementDescriptor || null,
        ...(fields.capture && { capture: fields.capture }),
        ...(apiKey && { apiKey }),
        ...(apiSecret && { apiSecret }),
        ...(webhookSecret && { webhookSecret }),
      })}
    >
      {(errorOf) => (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <TextInput
              name="name"
              label={text('common.name')}
              defaultValue={channel?.name}
              error={errorOf('name')}
              required
              data-autofocus
            />
            <TextInput
              name="code"
              label={text('channels.code')}
              defaultValue={channel?.code}
              error={errorOf('code')}
              required
            />
            <Select
              label={text('channels.provider')}
              description={text('channels.providerHint')}
              data={[
                { value: '', label: text('channels.noProvider') },
                ...providers.map((value) => ({ value, label: value })),
              ]}
              value={provider}
              onChange={(chosen) => setProvider(chosen ?? '')}
              error={errorOf('provider')}
              allowDeselect={false}
            />
            <Select
              name="type"
              label={text('channels.type')}
              description={text('channels.typeHint')}
              data={channelsModifyType}
              defaultValue={channel?.type ?? 'ONLINE'}
              error={errorOf('type')}
              allowDeselect={false}
            />
            <MultiSelect
              label={text('channels.currencies')}
              data={[...currencyCodes]}
              value={currencies}
              onChange={setCurrencies}
              error={errorOf('currency')}
              limit={40}
              searchable
              required
            />
            <TextInput
              name="country"
              label={text('channels.country')}
              defaultValue={channel?.country}
              placeholder="DE"
              minLength={2}
              maxLength={2}
              error={errorOf('country')}
              required
            />
          </SimpleGrid>
          <DescriptorField descriptor={channel?.statementDescriptor} error={errorOf('statementDescriptor')} />
          {provider !== '' && (
            <>
              <Select
                name="capture"
                label={text('channels.capture')}
                description={text('channels.captureHint')}
                data={channelsModifyCapture.map((value) => ({ value, label: text(`channels.capture.${value}`) }))}
                defaultValue={channel?.capture ?? 'SINGLE'}
                error={errorOf('capture')}
                allowDeselect={false}
              />
              <SecretField name="apiKey" isNew={channel === undefined} error={errorOf('apiKey')} />
              <SecretField name="apiSecret" isNew={channel === undefined} error={errorOf('apiSecret')} />
              <SecretField name="webhookSecret" isNew={channel === undefined} error={errorOf('webhookSecret')} />
            </>
          )}
          <Switch name="state" label={text('channels.accepts')} defaultChecked={channel?.state ?? true} />
        </>
      )}
    </FormModal>
  );
}
