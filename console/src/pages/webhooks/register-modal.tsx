import { eventTypes } from '@florin/server/core/event-types.ts';
import { MultiSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useMode } from '../../shell/mode.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { ShownOnce } from '../../ui/secrets/shown-once.tsx';

export const eventChoices = ['*', ...new Set(eventTypes.map((type) => `${type.split('.')[0]}.*`)), ...eventTypes];

interface RegisterModalProps {
  opened: boolean;
  onClose: () => void;
}

export function RegisterModal({ opened, onClose }: RegisterModalProps) {
  const text = useText();
  const { livemode } = useMode();
  const [events, setEvents] = useState<string[]>(['*']);
  const [secret, setSecret] = useState<string>();
  return (
    <>
      <FormModal
        title={text('webhooks.add')}
        submit={text('webhooks.add')}
        opened={opened}
        onClose={onClose}
        operation="webhooks.register"
        bodyOf={({ url, secret: given }) => ({ url, events, livemode, ...(given && { secret: given }) })}
        onDone={({ data }) => setSecret(data.secret)}
      >
        {(errorOf) => (
          <>
            <TextInput
              name="url"
              type="url"
              label={text('webhooks.url')}
              placeholder="https://shop.example/webhooks"
              error={errorOf('url')}
              required
              data-autofocus
            />
            <MultiSelect
              label={text('webhooks.events')}
              description={text('webhooks.eventsHint')}
              data={eventChoices}
              value={events}
              onChange={setEvents}
              error={errorOf('events')}
              searchable
              required
            />
            <PasswordField
              name="secret"
              label={text('webhooks.secret')}
              description={text('webhooks.secretHint')}
              autoComplete="new-password"
              error={errorOf('secret')}
            />
          </>
        )}
      </FormModal>
      <ShownOnce
        title={text('webhooks.secretTitle')}
        hint={text('webhooks.secretOnce')}
        value={secret}
        onClose={() => setSecret(undefined)}
      />
    </>
  );
}
