import { Alert, Anchor, Button, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call, FlorinError } from '../api/client.ts';
import { sessionKey } from '../api/query-client.ts';
import logo from '../shell/florin.svg';
import { useText } from '../shell/preferences.tsx';
import { PasswordField } from '../ui/forms/password-field.tsx';
import { ForgotPassword } from './forgot-password.tsx';
import { askForPasskey, hasPasskeys } from './passkey.ts';
import { Refusal } from './refusal.tsx';
import { forgetAllBut } from './session.tsx';
import classes from './sign-in.module.css';

/**
 * Asks for the password, then for the second factor if the account has one. `hasEnded`: the session of the user has
 * ended, and the user returns to the same page.
 */
export function SignInPage({ hasEnded }: { hasEnded: boolean }) {
  const text = useText();
  const client = useQueryClient();
  const [challenge, setChallenge] = useState<string>();
  /** The second factors of the user who has given the right password. */
  const [methods, setMethods] = useState<readonly string[]>([]);
  const [error, setError] = useState<ReactNode>();
  const [isBusy, setIsBusy] = useState(false);
  const [hasForgotten, setHasForgotten] = useState(false);

  function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget));
    return enter(async () => {
      if (challenge === undefined) await call('console.signIn', fields);
      else await call('console.confirmSignIn', { challenge, ...fields });
      return true;
    });
  }

  /** After the password, or instead of it. */
  function signInWithPasskey() {
    const given = challenge === undefined ? {} : { challenge };
    return enter(async () => {
      const { options } = (await call('passkeys.beginLogin', given)).data;
      const credential = await askForPasskey(options);
      if (credential === undefined) return false;
      await call('console.signInWithPasskey', { ...given, credential });
      return true;
    });
  }

  /** `prove` resolves to whether the user is signed in, and to false if the user cancels. */
  async function enter(prove: () => Promise<boolean>) {
    setIsBusy(true);
    setError(undefined);
    try {
      if (!(await prove())) return;
      const profile = await call('console.profile');
      forgetAllBut(sessionKey[0], client);
      client.setQueryData(sessionKey, profile.data);
    } catch (caught) {
      if (caught instanceof DOMException) return setError(text('passkey.wrongHost'));
      if (!(caught instanceof FlorinError)) throw caught;
      if (caught.type === 'second_factor_challenge') {
        setChallenge(String(caught.details.challenge));
        setMethods(caught.details.methods as string[]);
      } else {
        if (caught.type === 'challenge_invalid') setChallenge(undefined);
        setError(caught.type === 'credentials_missing' ? text('signIn.cookieRefused') : <Refusal error={caught} />);
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
              {hasEnded && error === undefined && (
                <Alert color="blue" role="status">
                  {text('signIn.ended')}
                </Alert>
              )}
              {error !== undefined && (
                <Alert color="red" role="alert">
                  {error}
                </Alert>
              )}
              {challenge === undefined ? <PasswordFields /> : <CodeField />}
              <Button type="submit" size="md" fullWidth loading={isBusy}>
                {text('signIn.submit')}
              </Button>
              {hasPasskeys && (challenge === undefined || methods.includes('passkey')) && (
                <Button variant="default" size="md" fullWidth onClick={signInWithPasskey} disabled={isBusy}>
                  {text('passkey.use')}
                </Button>
              )}
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
      <PasswordField
        name="password"
        label={text('signIn.password')}
        size="md"
        autoComplete="current-password"
        required
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
