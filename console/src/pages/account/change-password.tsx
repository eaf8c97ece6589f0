import { Alert, Button, Paper, Stack } from '@mantine/core';
import type { FormEvent } from 'react';
import { FlorinError } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { useText } from '../../shell/preferences.tsx';
import { PasswordField } from '../../ui/forms/password-field.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { RefusalText } from '../../ui/refusals/refusal-text.tsx';

/** Needs the present password, and ends the other sessions. */
export function ChangePassword() {
  const text = useText();
  const changing = useChange('users.changePassword');
  const refused = changing.error instanceof FlorinError ? changing.error : undefined;
  const errorOf = (field: string) =>
    refused?.field === field ? <RefusalText error={refused} isBesideField /> : undefined;

  function change(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    changing.mutate({ body: Object.fromEntries(new FormData(form)) }, { onSuccess: () => form.reset() });
  }

  return (
    <Paper withBorder p="md">
      <form onSubmit={change}>
        <Stack gap="sm">
          {(['oldPassword', 'newPassword'] as const).map((name) => (
            <PasswordField
              key={name}
              name={name}
              label={text(`account.${name}`)}
              autoComplete={name === 'oldPassword' ? 'current-password' : 'new-password'}
              error={errorOf(name)}
              required
            />
          ))}
          {refused?.field === undefined && <ErrorNote error={changing.error} />}
          {changing.isSuccess && (
            <Alert color="green" role="status">
              {text('account.passwordChanged')}
            </Alert>
          )}
          <Button type="submit" variant="default" w="fit-content" loading={changing.isPending}>
            {text('account.changePassword')}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}
