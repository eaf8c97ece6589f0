import { Button, Center, Loader, Stack, Text } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { endedSession } from './api/query-client.ts';
import { ProfileContext, useSessionQuery } from './session/session.tsx';
import { SignInPage } from './session/sign-in-page.tsx';
import { ModeProvider } from './shell/mode.tsx';
import { usePreferences, useText } from './shell/preferences.tsx';
import { TenantProvider } from './shell/tenant.tsx';

const loadShell = () => import('./shell/shell.tsx');
const Shell = lazy(async () => ({ default: (await loadShell()).Shell }));

/** The sign-in, or the console of the user: the address stays, so that a link leads to its page. */
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
            <Suspense fallback={<Waiting />}>
              <ShellWithTexts />
            </Suspense>
          </ModeProvider>
        </TenantProvider>
      </ProfileContext>
    );
  }
  if (session.isPending) return <Waiting />;
  return (
    <Center mih="60vh">
      <Stack align="center">
        <Text role="alert">{session.error.message}</Text>
        <Button onClick={() => session.refetch()}>{text('common.tryAgain')}</Button>
      </Stack>
    </Center>
  );
}

/** Reads the texts and the shell at the same time. */
function ShellWithTexts() {
  const { hasAllTexts, requireAllTexts } = usePreferences();
  useEffect(() => {
    requireAllTexts();
    // Its failure is that of the lazy component.
    loadShell().catch(() => {});
  }, [requireAllTexts]);
  return hasAllTexts ? <Shell /> : <Waiting />;
}

function Waiting() {
  return (
    <Center mih="60vh">
      <Loader />
    </Center>
  );
}
