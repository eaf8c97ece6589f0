import { Button, Center, Loader, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { endedSession } from './api/query-client.ts';
import { Refusal } from './session/refusal.tsx';
import { ProfileContext, useSessionQuery } from './session/session.tsx';
import { SignInPage } from './session/sign-in-page.tsx';
import { ModeProvider } from './shell/mode.tsx';
import { usePreferences, useText } from './shell/preferences.tsx';
import { TenantProvider } from './shell/tenant.tsx';

const loadShell = () => import('./shell/shell.tsx');
const Shell = lazy(async () => ({ default: (await loadShell()).Shell }));

/** The sign-in page or the console. The address stays the same, so that a link leads to its page after the sign-in. */
export function App() {
  const text = useText();
  const session = useSessionQuery();
  if (session.data === null || session.data === endedSession) {
    return <SignInPage hasEnded={session.data === endedSession} />;
  }
  if (session.data !== undefined) {
    return (
      <ProfileContext value={session.data}>
        <TenantProvider>
          <ModeProvider>
            <Suspense fallback={<Loading />}>
              <ShellWithTexts />
            </Suspense>
          </ModeProvider>
        </TenantProvider>
      </ProfileContext>
    );
  }
  if (session.isPending) return <Loading />;
  return (
    <Center mih="60vh">
      <Stack align="center">
        <Text role="alert">
          <Refusal error={session.error} />
        </Text>
        <Button onClick={() => session.refetch()}>{text('common.tryAgain')}</Button>
      </Stack>
    </Center>
  );
}

/** Loads the texts and the shell in parallel. */
function ShellWithTexts() {
  const { hasAllTexts, requireAllTexts } = usePreferences();
  useEffect(() => {
    requireAllTexts();
    // The lazy component reports the failure.
    loadShell().catch(() => {});
  }, [requireAllTexts]);
  return hasAllTexts ? <Shell /> : <Loading />;
}

function Loading() {
  return (
    <Center mih="60vh">
      <Loader />
    </Center>
  );
}
