import { type Scope, scopes } from '@florin/server/core/scopes.ts';
import { MultiSelect, TagsInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { GeneratedDeveloperKey } from '../../api/client.ts';
import { useProfile } from '../../session/session.tsx';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';

interface GenerateKeyModalProps {
  opened: boolean;
  onClose: () => void;
  onGenerated: (key: GeneratedDeveloperKey) => void;
}

/** What a shop needs: to find its channel, take payments and read them. */
const scopesOfShop: readonly Scope[] = ['channel_read', 'transaction_read', 'transaction_write'];

/** Offers only the scopes that the user has. */
export function GenerateKeyModal({ opened, onClose, onGenerated }: GenerateKeyModalProps) {
  const text = useText();
  const profile = useProfile();
  const { livemode } = useMode();
  const grantable = [...(profile.holdsAll ? ['*'] : []), ...scopes.filter((scope) => profile.scopes.includes(scope))];
  const [scope, setScope] = useState<string[]>(scopesOfShop.filter((one) => profile.scopes.includes(one)));
  const [addresses, setAddresses] = useState<string[]>([]);
  return (
    <FormModal
      title={text('keys.add')}
      submit={text('keys.add')}
      opened={opened}
      onClose={onClose}
      operation="keys.generate"
      bodyOf={({ name, expires }) => ({
        scope: scope.join(','),
        livemode,
        ...(name && { name }),
        ...(expires && { expiresTime: `${expires}T23:59:59Z` }),
        ...(addresses.length > 0 && { allowedAddresses: addresses }),
      })}
      onDone={({ data }) => onGenerated(data)}
    >
      {(errorOf) => (
        <>
          <TextInput name="name" label={text('common.name')} maxLength={100} error={errorOf('name')} data-autofocus />
          <MultiSelect
            label={text('keys.scope')}
            data={grantable}
            value={scope}
            onChange={setScope}
            error={errorOf('scope')}
            searchable
            required
          />
          <TextInput name="expires" type="date" label={text('keys.expires')} error={errorOf('expiresTime')} />
          <TagsInput
            label={text('keys.addresses')}
            description={text('keys.addressesHint')}
            value={addresses}
            onChange={setAddresses}
            error={errorOf('allowedAddresses')}
          />
        </>
      )}
    </FormModal>
  );
}
