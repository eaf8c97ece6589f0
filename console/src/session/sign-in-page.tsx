import { Alert, Anchor, Button, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { call, FlorinError } from '../api/client.ts';
import { sessionKey } from '../api/query-client.ts';
import logo from '../shell/florin.svg';
import { useText } from '../shell/preferences.tsx';
import { ForgotPassword } from './forgot-password.tsx';
import { forgetAllBut } from './session.tsx';
import classes from './sign-in.module.css';

/** Password, then the code of a second factor if the account has one. */
export function SignInPage() {
  const text = useText();
  const client = useQueryClient();
  const [challenge, setChallenge] = useState<string>();
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const [hasForgotten, setHasForgotten] = useState(false);

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget));
    setIsBusy(true);
    setError(undefined);
    try {
      if (challenge === undefined) await call('console.signIn', fields);
      else await call('console.confirmSignIn', { challenge, ...fields });
      const profile = await call('console.profile');
      forgetAllBut(sessionKey[0], client);
      client.setQueryData(sessionKey, profile.data);
    } catch (caught) {
      if (!(caught instanceof FlorinError)) throw caught;
      if (caught.type === 'second_factor_challenge') setChallenge(String(caught.details.challenge));
      else {
        if (caught.type === 'challenge_invalid') setChallenge(undefined);
        setError(caught.type === 'credentials_missing' ? text('signIn.cookieRefused') : caught.message);
      }
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <main className={classes.page}>
      <Paper withBorder className={classes.card}>
        <img src={logo} alt="" width={36} height={36} />
        <Title order={1} mt="sm" mb="lg">
          {text(challenge === undefined ? 'signIn.title' : 'signIn.codeTitle')}
        </Title>
        {hasForgotten ? (
          <ForgotPassword onBack={() => setHasForgotten(false)} />
        ) : (
          <form onSubmit={signIn}>
            <Stack gap="md">
              {error !== undefined && (
                <Alert color="red" role="alert">
                  {error}
                </Alert>
              )}
              {challenge === undefined ? <PasswordFields /> : <CodeField />}
              <Button type="submit" size="md" fullWidth loading={isBusy}>
                {text('signIn.submit')}
              </Button>
              {challenge === undefined ? (
                <Anchor component="button" type="button" size="sm" onClick={() => setHasForgotten(true)}>
                  {text('signIn.forgot')}
                </Anchor>
              ) : (
                <Anchor component="button" type="button" size="sm" onClick={() => setChallenge(undefined)}>
                  {text('signIn.another')}
                </Anchor>
              )}
            </Stack>
          </form>
        )}
      </Paper>
    </main>
  );
}

function PasswordFields() {
  const text = useText();
  return (
    <>
      <TextInput name="account" label={text('signIn.account')} size="md" autoComplete="username" required autoFocus />
      <PasswordInput
        name="password"
        label={text('signIn.password')}
        size="md"
        autoComplete="current-password"
        required
        visibilityToggleButtonProps={{ 'aria-label': text('signIn.showPassword') }}
      />
    </>
  );
}

function CodeField() {
  const text = useText();
  return (
    <>
      <TextInput
        name="code"
        label={text('signIn.code')}
        size="md"
        autoComplete="one-time-code"
        minLength={6}
        required
        autoFocus
      />
      <Text size="sm" c="dimmed">
        {text('signIn.codeHint')}
      </Text>
    </>
  );
}
