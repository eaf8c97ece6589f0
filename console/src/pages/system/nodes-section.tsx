import { Alert, Badge, Group } from '@mantine/core';
import type { SystemHealthNode } from '../../api/client.ts';
import { bytesText, durationText } from '../../format/quantity.ts';
import { RelativeTime, Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Section } from '../../ui/page.tsx';
import { type Column, DataTable } from '../../ui/tables/data-table.tsx';

/** With less than this share, a disk is nearly full. */
const leastFree = 0.1;

export function NodesSection({ nodes }: { nodes: readonly SystemHealthNode[] | undefined }) {
  const text = useText();
  const running = nodes?.filter(({ state }) => state === 'RUNNING') ?? [];
  const differ = (of: (node: SystemHealthNode) => string) => new Set(running.map(of)).size > 1;
  return (
    <Section title={text('system.nodes')}>
      {differ(({ version }) => version) && <Alert color="yellow">{text('system.otherVersions')}</Alert>}
      {differ(({ keyDigest }) => keyDigest) && <Alert color="red">{text('system.otherKeys')}</Alert>}
      <DataTable
        caption={text('system.nodes')}
        columns={useColumns()}
        rows={nodes}
        keyOf={({ id }) => id}
        empty={<EmptyState title={text('system.noNodes')} />}
      />
    </Section>
  );
}

function useColumns(): Column<SystemHealthNode>[] {
  const text = useText();
  return [
    { header: text('system.node'), cell: ({ host, port }) => `${host}:${port}` },
    {
      header: text('system.state'),
      cell: ({ state }) => (
        <Badge color={state === 'GONE' ? 'red' : 'green'}>
          {text(state === 'GONE' ? 'system.state.GONE' : 'system.state.RUNNING')}
        </Badge>
      ),
    },
    { header: text('system.version'), cell: ({ version }) => version },
    { header: text('system.role'), from: 'lg', cell: ({ role }) => role },
    { header: text('system.processes'), from: 'lg', isNumber: true, cell: ({ processes }) => processes },
    { header: text('system.clock'), from: 'md', cell: (node) => <NodeClock node={node} /> },
    { header: text('system.diskFree'), cell: (node) => <NodeDisk node={node} /> },
    { header: text('system.started'), from: 'xl', cell: ({ startedTime }) => <Time value={startedTime} /> },
    { header: text('system.seen'), from: 'sm', cell: ({ seenTime }) => <RelativeTime value={seenTime} /> },
  ];
}

function NodeClock({ node: { clockAheadMs, isClockApart } }: { node: SystemHealthNode }) {
  const text = useText();
  const { locale } = usePreferences();
  if (clockAheadMs === null) return <>–</>;
  if (!isClockApart) return <>{text('system.clockRight')}</>;
  const time = durationText(Math.abs(clockAheadMs), locale);
  const key = clockAheadMs > 0 ? 'system.clockAhead' : 'system.clockBehind';
  return <Badge color="yellow">{text(key, { time })}</Badge>;
}

function NodeDisk({ node: { disk } }: { node: SystemHealthNode }) {
  const text = useText();
  const { locale } = usePreferences();
  if (disk === null) return <>–</>;
  const { freeBytes, totalBytes } = disk;
  const shown = text('system.diskOf', { free: bytesText(freeBytes, locale), total: bytesText(totalBytes, locale) });
  if (freeBytes >= totalBytes * leastFree) return <>{shown}</>;
  return (
    <Group gap="xs" wrap="nowrap">
      <Badge color="red">{shown}</Badge>
    </Group>
  );
}
