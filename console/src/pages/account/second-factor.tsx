import { Badge, Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { renderSVG } from 'uqr';
import type { RecoveryCodes, SecondFactorEnrolment } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import { PresentPasswordField } from '../../ui/forms/password-field.tsx';
import { Copyable } from '../../ui/secrets/copy.tsx';
import { ShownOnce } from '../../ui/secrets/shown-once.tsx';

type Dialog = 'begin' | 'renew' | 'remove' | undefined;

/** Enrols an authenticator app with a QR code rendered in the browser, renews its recovery codes, or removes it. */
export function SecondFactor() {
  const text = useText();
  const status = useRead('secondFactor.get').data?.data;
  const [dialog, setDialog] = useState<Dialog>();
  const [begun, setBegun] = useState<SecondFactorEnrolment>();
  const [codes, setCodes] = useState<string[]>();
  const close = () => setDialog(undefined);
  const showCodes = ({ data }: { data: RecoveryCodes }) => setCodes(data.recoveryCodes);
  return (
    <Paper withBorder p="md">
      <Stack gap="sm" align="start">
        {status?.active ? (
          <>
            <Group gap="xs">
              <Badge color="green">{text('state.active')}</Badge>
              <Text size="sm">
                <Time value={status.confirmedTime} /> · {text.count('factor.codesLeft', status.recoveryCodesLeft)}
              </Text>
            </Group>
            <Group gap="xs">
              <Button variant="default" onClick={() => setDialog('renew')}>
                {text('factor.renew')}
              </Button>
              <Button variant="default" onClick={() => setDialog('remove')}>
                {text('common.remove')}
              </Button>
            </Group>
          </>
        ) : (
          <>
            <Text size="sm">{text('factor.hint')}</Text>
            <Button variant="default" onClick={() => setDialog('begin')}>
              {text('factor.begin')}
            </Button>
          </>
        )}
      </Stack>
      <FormModal
        title={text('factor.begin')}
        submit={text('common.next')}
        opened={dialog === 'begin'}
        onClose={close}
        operation="secondFactor.begin"
        bodyOf={({ password }) => ({ password })}
        onDone={({ data }) => setBegun(data)}
      >
        {(errorOf) => <PresentPasswordField name="password" error={errorOf('password')} required data-autofocus />}
      </FormModal>
      <ConfirmFactor begun={begun} onClose={() => setBegun(undefined)} onDone={showCodes} />
      <FormModal
        title={text('factor.renew')}
        submit={text('factor.renew')}
        opened={dialog === 'renew'}
        onClose={close}
        operation="secondFactor.recoveryCodes"
        bodyOf={({ code }) => ({ code })}
        onDone={showCodes}
      >
        {(errorOf) => <CodeInput error={errorOf('code')} />}
      </FormModal>
      <FormModal
        title={text('factor.removeTitle')}
        submit={text('common.remove')}
        isDangerous
        opened={dialog === 'remove'}
        onClose={close}
        operation="secondFactor.remove"
        bodyOf={({ code }) => ({ code })}
      >
        {(errorOf) => <CodeInput error={errorOf('code')} />}
      </FormModal>
      <ShownOnce
        title={text('factor.codesTitle')}
        hint={text('factor.codesOnce')}
        value={codes?.join('\n')}
        onClose={() => setCodes(undefined)}
      />
    </Paper>
  );
}

interface ConfirmFactorProps {
  begun: SecondFactorEnrolment | undefined;
  onClose: () => void;
  onDone: (reply: { data: RecoveryCodes }) => void;
}

function ConfirmFactor({ begun, onClose, onDone }: ConfirmFactorProps) {
  const text = useText();
  const picture = begun && `data:image/svg+xml,${encodeURIComponent(renderSVG(begun.uri))}`;
  return (
    <FormModal
      title={text('factor.begin')}
      submit={text('factor.confirm')}
      opened={begun !== undefined}
      onClose={onClose}
      operation="secondFactor.confirm"
      bodyOf={({ code }) => ({ code })}
      onDone={onDone}
    >
      {(errorOf) => (
        <>
          <Text size="sm">{text('factor.scan')}</Text>
          <img src={picture} width={200} height={200} alt={text('factor.picture')} />
          <Copyable value={begun?.secret ?? ''} />
          <CodeInput error={errorOf('code')} />
        </>
      )}
    </FormModal>
  );
}

function CodeInput({ error }: { error: ReactNode }) {
  const text = useText();
  return (
    <TextInput
      name="code"
      label={text('signIn.code')}
      autoComplete="one-time-code"
      minLength={6}
      error={error}
      required
      data-autofocus
    />
  );
}
