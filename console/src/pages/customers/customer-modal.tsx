import { NumberInput, Select, SimpleGrid, TextInput } from '@mantine/core';
import type { Customer } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { AddressFields, addressOf } from '../../ui/forms/address-fields.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';

interface CustomerModalProps {
  /** Undefined: a new one. */
  customer: Customer | undefined;
  opened: boolean;
  onClose: () => void;
}

export function CustomerModal({ customer, opened, onClose }: CustomerModalProps) {
  const text = useText();
  const { livemode } = useMode();
  const mayReadChannels = useMay('channel_read');
  const channels = useRead('channels.list', {}, { enabled: mayReadChannels });
  return (
    <FormModal
      title={text(customer === undefined ? 'customers.add' : 'customers.edit')}
      submit={text('common.save')}
      opened={opened}
      onClose={onClose}
      size="lg"
      operation="customers.modify"
      bodyOf={(fields) => ({
        ...(customer === undefined ? { livemode } : { id: customer.id }),
        name: fields.name,
        email: fields.email || null,
        phone: fields.phone || null,
        externalId: fields.externalId || null,
        dueDays: fields.dueDays ? Number(fields.dueDays) : null,
        address: addressOf(fields),
        ...(mayReadChannels && {
          defaultChannelId: fields.defaultChannelId ? Number(fields.defaultChannelId) : null,
        }),
      })}
    >
      {(errorOf) => (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            name="name"
            label={text('customers.name')}
            defaultValue={customer?.name}
            error={errorOf('name')}
            required
            data-autofocus
          />
          <TextInput
            name="email"
            type="email"
            label={text('customers.email')}
            defaultValue={customer?.email ?? ''}
            error={errorOf('email')}
          />
          <TextInput
            name="phone"
            label={text('customers.phone')}
            defaultValue={customer?.phone ?? ''}
            error={errorOf('phone')}
          />
          <TextInput
            name="externalId"
            label={text('customers.externalId')}
            defaultValue={customer?.externalId ?? ''}
            error={errorOf('externalId')}
          />
          <NumberInput
            name="dueDays"
            label={text('seller.dueDays')}
            description={text('customers.dueDaysHint')}
            defaultValue={customer?.dueDays ?? ''}
            error={errorOf('dueDays')}
            min={0}
            max={365}
          />
          <AddressFields address={customer?.address} errorOf={errorOf} />
          {mayReadChannels && (
            <Select
              name="defaultChannelId"
              label={text('customers.channel')}
              data={channels.data?.data.map(({ id, name }) => ({ value: String(id), label: name })) ?? []}
              defaultValue={customer?.defaultChannelId ? String(customer.defaultChannelId) : null}
              error={errorOf('defaultChannelId')}
              clearable
            />
          )}
        </SimpleGrid>
      )}
    </FormModal>
  );
}
