import { Badge, Button, Code, Text } from '@mantine/core';
import { useState } from 'react';
import type { DeveloperKey, GeneratedDeveloperKey } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { EmptyState, ErrorNote } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { ShownOnce } from '../../ui/secrets/shown-once.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { GenerateKeyModal } from './generate-key-modal.tsx';
import { RevokeKeyModal } from './revoke-key-modal.tsx';

export default function KeysPage() {
  const text = useText();
  const keys = useRead('keys.list');
  const [isGenerating, setIsGenerating] = useState(false);
  const [generated, setGenerated] = useState<GeneratedDeveloperKey>();
  const [revoked, setRevoked] = useState<DeveloperKey>();
  const add = (
    <Button w="fit-content" onClick={() => setIsGenerating(true)}>
      {text('keys.add')}
    </Button>
  );
  return (
    <Page title={text('keys.title')} actions={add}>
      <ErrorNote error={keys.error} onRetry={() => keys.refetch()} />
      <DataTable
        caption={text('keys.title')}
        columns={[
          { header: text('common.name'), cell: ({ name }) => name ?? '–' },
          { header: text('keys.key'), from: 'xs', cell: ({ skMasked }) => <Code>{skMasked}</Code> },
          {
            header: text('mode.label'),
            from: 'sm',
            cell: ({ livemode }) => (
              <Badge color={livemode ? 'green' : 'orange'}>{text(livemode ? 'mode.live' : 'mode.test')}</Badge>
            ),
          },
          { header: text('payments.status'), cell: (key) => <KeyState developerKey={key} /> },
          {
            header: text('keys.scope'),
            from: 'md',
            cell: ({ scope }) => (
              <Text size="sm" maw={300} truncate title={scope.replaceAll(',', ', ')}>
                {scope === '*' ? text('keys.allScopes') : scope.replaceAll(',', ', ')}
              </Text>
            ),
          },
          { header: text('keys.lastUsed'), from: 'lg', cell: ({ lastUsedTime }) => <Time value={lastUsedTime} /> },
          { header: text('payments.created'), from: 'lg', cell: ({ createdTime }) => <Time value={createdTime} /> },
          {
            header: text('common.actions'),
            isControl: true,
            cell: (key) =>
              key.state === 1 && (
                <Button variant="default" size="xs" onClick={() => setRevoked(key)}>
                  {text('keys.revoke')}
                </Button>
              ),
          },
        ]}
        rows={keys.data?.data}
        keyOf={({ id }) => id}
        empty={
          <EmptyState title={text('keys.none')}>
            <Text size="sm">{text('keys.noneHint')}</Text>
            {add}
          </EmptyState>
        }
      />
      <GenerateKeyModal opened={isGenerating} onClose={() => setIsGenerating(false)} onGenerated={setGenerated} />
      <ShownOnce
        title={text('keys.shownTitle')}
        hint={text('keys.shownOnce')}
        value={generated?.sk}
        onClose={() => setGenerated(undefined)}
      />
      <RevokeKeyModal revoked={revoked} onClose={() => setRevoked(undefined)} />
    </Page>
  );
}

function KeyState({ developerKey: { state, expiresTime } }: { developerKey: DeveloperKey }) {
  const text = useText();
  if (state !== 1) return <Badge color="gray">{text('keys.revoked')}</Badge>;
  const hasExpired = expiresTime !== null && Date.parse(expiresTime) < Date.now();
  return <Badge color={hasExpired ? 'gray' : 'green'}>{text(hasExpired ? 'keys.expired' : 'state.active')}</Badge>;
}
