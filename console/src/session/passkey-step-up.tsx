import { Button } from '@mantine/core';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { useRead } from '../api/hooks.ts';
import { useText } from '../shell/preferences.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { askForPasskey, hasPasskeys } from './passkey.ts';

/** Replaces the code for users who have a passkey. */
export function PasskeyStepUp({ onDone }: { onDone: () => void }) {
  const text = useText();
  const passkeys = useRead('passkeys.list', {}, { enabled: hasPasskeys });
  const [error, setError] = useState<Error>();
  if (!passkeys.data?.data.length) return null;
  async function stepUp() {
    setError(undefined);
    try {
      const { options } = (await call('passkeys.beginStepUp')).data;
      const credential = await askForPasskey(options);
      if (credential === undefined) return;
      await call('passkeys.stepUp', { credential });
      onDone();
    } catch (caught) {
      setError(caught as Error);
    }
  }
  return (
    <>
      <ErrorNote error={error} />
      <Button variant="default" w="fit-content" onClick={stepUp}>
        {text('passkey.use')}
      </Button>
    </>
  );
}
