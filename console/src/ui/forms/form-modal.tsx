import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { call, type DataOf, FlorinError, type OperationName, type Params, type Reply } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { PasskeyStepUp } from '../../session/passkey-step-up.tsx';
import { useText } from '../../shell/preferences.tsx';
import { ErrorNote } from '../notes.tsx';
import { RefusalText } from '../refusals/refusal-text.tsx';
import { Dialog } from './dialog.tsx';

export type Fields = Readonly<Record<string, string>>;
/** The refusal of a field, to show beside it. */
export type ErrorOf = (field: string) => ReactNode;

export interface FormModalProps<Name extends OperationName> {
  title: string;
  submit: string;
  /** Whether it cannot be undone. */
  isDangerous?: boolean;
  opened: boolean;
  onClose: () => void;
  /** The operation that it sends. */
  operation: Name;
  /** Whether it sends an Idempotency-Key, so that a repeated request has no second effect. */
  isIdempotent?: boolean;
  bodyOf: (fields: Fields) => Params;
  onDone?: (reply: Reply<DataOf<Name>>) => void;
  size?: string;
  /** That of the amounts of the form. */
  currency?: string;
  children?: ReactNode | ((errorOf: ErrorOf) => ReactNode);
}

/**
 * A form in a dialog, which sends one request. Refusals are shown beside their field. If the service requires a
 * step-up, the form asks for a code of the second factor and sends the request again.
 */
export function FormModal<Name extends OperationName>(props: FormModalProps<Name>) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={props.title} size={props.size ?? 'md'}>
      {/* Mounted for each opening, so that earlier input and refusals are gone. */}
      <ModalForm {...props} />
    </Dialog>
  );
}

function ModalForm<Name extends OperationName>(props: FormModalProps<Name>) {
  const { submit, isDangerous = false, isIdempotent, operation, bodyOf, onClose, onDone, currency, children } = props;
  const text = useText();
  const [idempotencyKey] = useState(randomKey);
  const [stepUpError, setStepUpError] = useState<Error>();
  const change = useChange(operation, (reply) => {
    onClose();
    onDone?.(reply);
  });
  const refused = change.error instanceof FlorinError ? change.error : undefined;
  const needsCode = refused?.type === 'step_up_required';
  const errorOf: ErrorOf = (field) =>
    refused?.field === field ? <RefusalText error={refused} isBesideField currency={currency} /> : undefined;
  const isBesideField = refused?.field !== undefined && hasField(refused.field);

  const form = useRef<HTMLFormElement>(null);
  const fieldsOf = () => Object.fromEntries(new FormData(form.current as HTMLFormElement)) as Record<string, string>;
  const submitFields = (fields: Fields) =>
    change.mutate({ body: bodyOf(fields), ...(isIdempotent && { idempotencyKey }) });

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // A dialog that is opened from a form is a part of that form for React, which would be sent as well.
    event.stopPropagation();
    const fields = fieldsOf();
    setStepUpError(undefined);
    if (needsCode) {
      const wrong = await call('users.stepUp', { code: fields.stepUpCode }).then(
        () => undefined,
        (error: Error) => error,
      );
      if (wrong !== undefined) return setStepUpError(wrong);
    }
    submitFields(fields);
  }

  return (
    <form ref={form} onSubmit={send}>
      <Stack gap="sm">
        {typeof children === 'function' ? children(errorOf) : children}
        {needsCode ? (
          <>
            <Text size="sm">{text('stepUp.hint')}</Text>
            <TextInput
              name="stepUpCode"
              label={text('signIn.code')}
              autoComplete="one-time-code"
              error={stepUpError && <RefusalText error={stepUpError} isBesideField />}
              required
              autoFocus
            />
            <PasskeyStepUp onDone={() => submitFields(fieldsOf())} />
          </>
        ) : (
          !isBesideField && <ErrorNote error={change.error} currency={currency} />
        )}
        <Group justify="flex-end" gap="xs" mt="xs">
          <Button variant="default" onClick={onClose}>
            {text('common.cancel')}
          </Button>
          <Button type="submit" color={isDangerous ? 'red' : undefined} loading={change.isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const hasField = (name: string) => document.querySelector(`form [name="${CSS.escape(name)}"]`) !== null;

function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
