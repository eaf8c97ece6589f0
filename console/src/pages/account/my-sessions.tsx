import { Badge, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { FlorinError } from '../../api/client.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useSignOut } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { ConfirmModal } from '../../ui/forms/confirm-modal.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';

export function MySessions() {
  const text = useText();
  const signOut = useSignOut();
  const sessions = useRead('sessions.list', { pageSize: 100 });
  const ending = useChange('sessions.revoke');
  /** What to end after the user has entered a code, which the strict profile requires. */
  const [waiting, setWaiting] = useState<{ id: string } | { all: true }>();
  const [error, setError] = useState<Error>();
  const needsCode = (error: unknown) => error instanceof FlorinError && error.type === 'step_up_required';

  function end(id: string) {
    ending.mutate({ body: { id } }, { onError: (error) => needsCode(error) && setWaiting({ id }) });
  }

  async function endAll() {
    setError(undefined);
    try {
      await signOut(true);
    } catch (caught) {
      if (needsCode(caught)) setWaiting({ all: true });
      else setError(caught as Error);
    }
  }

  return (
    <>
      <ErrorNote error={sessions.error ?? error ?? (waiting === undefined ? ending.error : null)} />
      <ConfirmModal
        opened={waiting !== undefined}
        onClose={() => setWaiting(undefined)}
        title={text('sessions.endTitle')}
        submit={text('sessions.end')}
        operation="sessions.revoke"
        hint={text('stepUp.hint')}
        body={waiting ?? {}}
        onDone={() => waiting !== undefined && 'all' in waiting && signOut()}
        isDangerous
      />
      <DataTable
        caption={text('account.sessions')}
        columns={[
          {
            header: text('sessions.device'),
            cell: ({ device, current }) => (
              <Group gap="xs">
                {browserOf(device)}
                {current && <Badge>{text('sessions.current')}</Badge>}
              </Group>
            ),
          },
          { header: text('sessions.address'), from: 'sm', cell: ({ address }) => address },
          { header: text('keys.lastUsed'), cell: ({ lastUsedTime }) => <Time value={lastUsedTime} /> },
          { header: text('sessions.expires'), from: 'md', cell: ({ expiresTime }) => <Time value={expiresTime} /> },
          {
            header: text('common.actions'),
            isControl: true,
            cell: ({ id, current }) =>
              !current && (
                <Button variant="default" size="xs" onClick={() => end(id)}>
                  {text('sessions.end')}
                </Button>
              ),
          },
        ]}
        rows={sessions.data?.data}
        keyOf={({ id }) => id}
        empty={null}
      />
      <Button variant="default" w="fit-content" onClick={endAll}>
        {text('sessions.endAll')}
      </Button>
    </>
  );
}

/** A User-Agent header in short: the browser and the system. */
function browserOf(device: string | null): string {
  if (device === null) return '–';
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\/[\d.]+/.exec(device)?.[1]?.replace('Edg', 'Edge');
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(device)?.[1];
  return browser === undefined ? device.slice(0, 60) : [browser, system].filter(Boolean).join(' · ');
}
