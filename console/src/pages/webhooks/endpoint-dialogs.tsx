import { MultiSelect, NumberInput, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import type { WebhookEndpoint } from '../../api/client.ts';
import { useText } from '../../shell/preferences.tsx';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { eventChoices } from './register-modal.tsx';
import { ReplayModal } from './replay-modal.tsx';

export type EndpointDialog = 'edit' | 'rotate' | 'remove' | 'replay' | undefined;

interface EndpointDialogsProps {
  endpoint: WebhookEndpoint;
  dialog: EndpointDialog;
  onClose: () => void;
}

export function EndpointDialogs({ endpoint, dialog, onClose }: EndpointDialogsProps) {
  const text = useText();
  const [, navigate] = useLocation();
  return (
    <>
      <EditModal endpoint={endpoint} opened={dialog === 'edit'} onClose={onClose} />
      <ReplayModal endpointId={endpoint.id} opened={dialog === 'replay'} onClose={onClose} />
      <FormModal
        title={text('webhooks.rotateTitle')}
        submit={text('webhooks.rotate')}
        opened={dialog === 'rotate'}
        onClose={onClose}
        operation="webhooks.rotate"
        bodyOf={({ secret }) => (secret ? { id: endpoint.id, secret } : { id: endpoint.id, promote: true })}
      >
        {(errorOf) => (
          <>
            <Text size="sm">{text(endpoint.nextSecret ? 'webhooks.promoteHint' : 'webhooks.rotateHint')}</Text>
            <PasswordField
              name="secret"
              label={text('webhooks.newSecret')}
              autoComplete="new-password"
              required={!endpoint.nextSecret}
              error={errorOf('secret')}
              data-autofocus
            />
          </>
        )}
      </FormModal>
      <ConfirmModal
        title={text('webhooks.removeTitle')}
        hint={text('webhooks.removeHint')}
        submit={text('common.remove')}
        isDangerous
        opened={dialog === 'remove'}
        onClose={onClose}
        operation="webhooks.remove"
        body={{ id: endpoint.id }}
        onDone={() => navigate('/webhooks')}
      />
    </>
  );
}

function EditModal({ endpoint, opened, onClose }: { endpoint: WebhookEndpoint; opened: boolean; onClose: () => void }) {
  const text = useText();
  const [events, setEvents] = useState(endpoint.events);
  return (
    <FormModal
      title={text('webhooks.editTitle')}
      submit={text('common.save')}
      opened={opened}
      onClose={onClose}
      operation="webhooks.modify"
      bodyOf={({ url, state, maxInFlight, ratePerSecond }) => ({
        id: endpoint.id,
        url,
        events,
        state: state === 'on',
        maxInFlight: maxInFlight ? Number(maxInFlight) : null,
        ratePerSecond: ratePerSecond ? Number(ratePerSecond) : null,
      })}
    >
      {(errorOf) => (
        <>
          <TextInput
            name="url"
            type="url"
            label={text('webhooks.url')}
            defaultValue={endpoint.url}
            error={errorOf('url')}
            required
            data-autofocus
          />
          <MultiSelect
            label={text('webhooks.events')}
            data={eventChoices}
            value={events}
            onChange={setEvents}
            error={errorOf('events')}
            searchable
            required
          />
          <NumberInput
            name="maxInFlight"
            label={text('webhooks.maxInFlight')}
            defaultValue={endpoint.maxInFlight ?? ''}
            min={1}
            error={errorOf('maxInFlight')}
          />
          <NumberInput
            name="ratePerSecond"
            label={text('webhooks.ratePerSecond')}
            defaultValue={endpoint.ratePerSecond ?? ''}
            min={1}
            error={errorOf('ratePerSecond')}
          />
          <Switch name="state" label={text('state.active')} defaultChecked={endpoint.state} />
        </>
      )}
    </FormModal>
  );
}
