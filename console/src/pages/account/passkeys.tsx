import { Badge, Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Passkey, PasskeyOptions, Reply } from '../../api/client.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { createPasskey, hasPasskeys } from '../../session/passkey.ts';
import { useText } from '../../shell/preferences.tsx';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PresentPasswordField } from '../../ui/forms/password-field.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Section } from '../../ui/page.tsx';
import { ShownOnce } from '../../ui/secrets/shown-once.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';

/** Passkeys of this user. Browsers bind them to a host name, so a console that is opened at an IP address has none. */
export function Passkeys() {
  const text = useText();
  const passkeys = useRead('passkeys.list');
  const [changed, setChanged] = useState<{ passkey: Passkey; how: 'rename' | 'remove' }>();
  const [isAdding, setIsAdding] = useState(false);
  const close = () => setChanged(undefined);
  const add = (
    <Button variant="default" size="xs" w="fit-content" onClick={() => setIsAdding(true)} disabled={!hasPasskeys}>
      {text('passkey.add')}
    </Button>
  );
  return (
    <Section title={text('passkey.title')} actions={passkeys.data?.data.length ? add : undefined}>
      <ErrorNote error={passkeys.error} onRetry={() => passkeys.refetch()} />
      <DataTable
        caption={text('passkey.title')}
        columns={[
          {
            header: text('common.name'),
            cell: ({ name, backedUp }) => (
              <Group gap="xs">
                {name}
                {backedUp && <Badge color="gray">{text('passkey.backedUp')}</Badge>}
              </Group>
            ),
          },
          { header: text('payments.created'), from: 'sm', cell: ({ createdTime }) => <Time value={createdTime} /> },
          {
            header: text('keys.lastUsed'),
            from: 'sm',
            cell: ({ lastUsedTime }) => (lastUsedTime === null ? '–' : <Time value={lastUsedTime} />),
          },
          {
            header: text('common.actions'),
            isControl: true,
            cell: (passkey) => (
              <Group gap="xs" justify="flex-end" wrap="nowrap">
                <Button variant="default" size="xs" onClick={() => setChanged({ passkey, how: 'rename' })}>
                  {text('common.edit')}
                </Button>
                <Button variant="default" size="xs" onClick={() => setChanged({ passkey, how: 'remove' })}>
                  {text('common.remove')}
                </Button>
              </Group>
            ),
          },
        ]}
        rows={passkeys.data?.data}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={text('passkey.none')}>
            <Text size="sm">{text('passkey.hint')}</Text>
            {add}
          </EmptyState>
        }
      />
      <AddPasskey opened={isAdding} onClose={() => setIsAdding(false)} />
      <FormModal
        title={text('passkey.rename')}
        submit={text('common.save')}
        opened={changed?.how === 'rename'}
        onClose={close}
        operation="passkeys.modify"
        bodyOf={({ name }) => ({ id: changed?.passkey.id, name })}
      >
        {(errorOf) => (
          <TextInput
            name="name"
            label={text('common.name')}
            defaultValue={changed?.passkey.name}
            error={errorOf('name')}
            required
            data-autofocus
          />
        )}
      </FormModal>
      <ConfirmModal
        title={text('passkey.removeTitle', { name: changed?.passkey.name ?? '' })}
        hint={text('passkey.removeHint')}
        submit={text('common.remove')}
        isDangerous
        opened={changed?.how === 'remove'}
        onClose={close}
        operation="passkeys.remove"
        body={{ id: changed?.passkey.id }}
      />
    </Section>
  );
}

/** Asks for the password first. Then the browser creates the passkey, and the service stores its public key. */
function AddPasskey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const text = useText();
  const [error, setError] = useState<Error>();
  const [codes, setCodes] = useState<string[]>();
  const [name, setName] = useState('');
  const registering = useChange('passkeys.register', ({ data }) => {
    const { recoveryCodes } = data as { recoveryCodes?: string[] | null };
    if (recoveryCodes?.length) setCodes(recoveryCodes);
  });

  async function register({ data: { options } }: Reply<PasskeyOptions>) {
    setError(undefined);
    try {
      const credential = await createPasskey(options);
      if (credential !== undefined) registering.mutate({ body: { ...(name !== '' && { name }), credential } });
    } catch (caught) {
      const isForeignHost = caught instanceof DOMException && caught.name === 'SecurityError';
      setError(isForeignHost ? new Error(text('passkey.wrongHost')) : (caught as Error));
    }
  }

  return (
    <>
      <ErrorNote error={error ?? registering.error} />
      <FormModal
        title={text('passkey.add')}
        submit={text('common.next')}
        opened={opened}
        onClose={onClose}
        operation="passkeys.begin"
        bodyOf={({ password }) => ({ password })}
        onDone={register}
      >
        {(errorOf) => (
          <>
            <TextInput
              label={text('common.name')}
              description={text('passkey.nameHint')}
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              maxLength={100}
              data-autofocus
            />
            <PresentPasswordField name="password" error={errorOf('password')} required />
          </>
        )}
      </FormModal>
      <ShownOnce
        title={text('factor.codesTitle')}
        hint={text('factor.codesOnce')}
        value={codes?.join('\n')}
        onClose={() => setCodes(undefined)}
      />
    </>
  );
}
