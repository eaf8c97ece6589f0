import { Anchor, Badge, List, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { addressOf, call } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useStreamState } from '../../live/use-stream.ts';
import { mayDo, useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { BacklogSection } from './backlog-section.tsx';
import { BackupSection } from './backup-section.tsx';
import { DatabaseSection, StandbysSection } from './database-section.tsx';
import { NodesSection } from './nodes-section.tsx';

/**
 * Whether this node can serve requests, and links to more information. Administrators of the platform see the whole
 * system.
 */
export default function SystemPage() {
  const text = useText();
  const profile = useProfile();
  const streamState = useStreamState();
  const ready = useQuery({
    queryKey: ['/health/ready'],
    queryFn: ({ signal }) => call('health.ready', {}, { signal, maxRetries: 0 }),
    refetchInterval: 5_000,
    retry: false,
  });
  return (
    <Page title={text('system.title')}>
      <ErrorNote error={ready.error} />
      <Facts
        facts={[
          [
            text('system.ready'),
            <Badge key="ready" color={ready.isSuccess ? 'green' : 'red'}>
              {text(ready.isSuccess ? 'common.yes' : 'common.no')}
            </Badge>,
          ],
          [
            text('system.stream'),
            <Badge key="stream" color={streamState === 'live' ? 'green' : 'yellow'}>
              {text(`system.${streamState}`)}
            </Badge>,
          ],
          [text('system.mode'), profile.deploymentMode],
          [text('system.publicUrl'), profile.publicUrl],
          [text('system.sandbox'), text(profile.sandboxEnabled ? 'common.yes' : 'common.no')],
        ]}
      />
      {mayDo(profile, 'platform') && <PlatformHealth />}
      <Section title={text('system.more')}>
        <Stack gap="xs">
          <List size="sm" spacing={4}>
            <List.Item>
              <Anchor href={addressOf('/metrics')}>{text('system.metrics')}</Anchor>
            </List.Item>
            <List.Item>
              <Anchor href={addressOf('/docs/reference/api')}>{text('system.reference')}</Anchor>
            </List.Item>
            <List.Item>
              <Anchor href={addressOf('/openapi.json')}>OpenAPI</Anchor>
            </List.Item>
          </List>
        </Stack>
      </Section>
    </Page>
  );
}

/** Nodes, database, work that is due, backups and versions: as of now, while the page is visible. */
function PlatformHealth() {
  const { data, error } = useRead('system.health', {}, { pollMs: 5_000 });
  const health = data?.data;
  return (
    <>
      <ErrorNote error={error} />
      <NodesSection nodes={health?.nodes} />
      {health !== undefined && (
        <>
          <DatabaseSection database={health.database} />
          <StandbysSection standbys={health.database.standbys} />
          <BacklogSection backlog={health.backlog} />
          <BackupSection backup={health.backup} versions={health.versions} />
        </>
      )}
    </>
  );
}
