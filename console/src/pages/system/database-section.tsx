import { Badge, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { SystemHealthDatabase, SystemHealthDatabaseStandby } from '../../api/client.ts';
import { bytesText, durationText } from '../../format/quantity.ts';
import { Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { type Column, DataTable } from '../../ui/tables/data-table.tsx';

/** From this share of its connections on, a server is nearly full. */
const mostUsed = 0.9;

export function DatabaseSection({ database }: { database: SystemHealthDatabase }) {
  const text = useText();
  const { locale } = usePreferences();
  const { version, address, hosts, startedTime, sizeBytes, connections, synchronousCommit } = database;
  const { used, limit } = connections;
  return (
    <Section title={text('system.database')}>
      <Facts
        facts={[
          [text('system.version'), `PostgreSQL ${version}`],
          [text('system.primary'), address ?? text('system.localSocket')],
          [text('system.hosts'), hosts],
          [text('system.started'), <Time key="started" value={startedTime} />],
          [text('system.size'), bytesText(sizeBytes, locale)],
          [
            text('system.connections'),
            <Warned key="connections" color={used >= limit * mostUsed ? 'red' : undefined}>
              {text('system.used', { used: String(used), limit: String(limit) })}
            </Warned>,
          ],
          [
            text('system.syncCommit'),
            <Warned key="commit" color={synchronousCommit === 'off' ? 'red' : undefined}>
              {synchronousCommit}
            </Warned>,
          ],
          [text('system.syncNames'), database.synchronousStandbys],
          [text('system.replica'), database.replica && <Replica key="replica" replica={database.replica} />],
          [text('system.archive'), database.archive && <Archive key="archive" archive={database.archive} />],
        ]}
      />
    </Section>
  );
}

export function StandbysSection({ standbys }: Pick<SystemHealthDatabase, 'standbys'>) {
  const text = useText();
  const columns = useColumns();
  return (
    <Section title={text('system.standbys')}>
      {standbys === null ? (
        <Text size="sm">{text('system.standbysUnknown')}</Text>
      ) : (
        <DataTable
          caption={text('system.standbys')}
          columns={columns}
          rows={standbys}
          keyOf={({ name, address }) => `${name} ${address}`}
          empty={<EmptyState title={text('system.noStandbys')} />}
        />
      )}
    </Section>
  );
}

/** Text, as a badge if something is wrong with it. */
export function Warned({ color, children }: { color: string | undefined; children: ReactNode }) {
  return color === undefined ? children : <Badge color={color}>{children}</Badge>;
}

function Replica({ replica }: { replica: NonNullable<SystemHealthDatabase['replica']> }) {
  const text = useText();
  const { locale } = usePreferences();
  const { hosts, isReachable, lagBytes, lagMs } = replica;
  const bytes = bytesText(lagBytes ?? 0, locale);
  const lag =
    lagBytes === 0
      ? text('system.noLag')
      : lagMs === null || lagMs === 0
        ? text('system.lag', { bytes })
        : text('system.lagTime', { bytes, time: durationText(lagMs, locale) });
  return (
    <Group gap="xs">
      {hosts}
      <Badge color={isReachable ? 'green' : 'red'}>{isReachable ? lag : text('system.replicaGone')}</Badge>
    </Group>
  );
}

function Archive({ archive }: { archive: NonNullable<SystemHealthDatabase['archive']> }) {
  const text = useText();
  const { archivedTime, failedTime, isFailing } = archive;
  if (isFailing) {
    return (
      <Group gap="xs">
        <Badge color="red">{text('system.archiveFails')}</Badge>
        <Time value={failedTime} />
      </Group>
    );
  }
  if (archivedTime === null) return <>{text('system.archiveEmpty')}</>;
  return (
    <Group gap="xs">
      <Badge color="green">{text('system.archiveWorks')}</Badge>
      <Time value={archivedTime} />
    </Group>
  );
}

function useColumns(): Column<SystemHealthDatabaseStandby>[] {
  const text = useText();
  const { locale } = usePreferences();
  return [
    { header: text('system.standby'), cell: ({ name, address }) => (address === null ? name : `${name} (${address})`) },
    {
      header: text('system.state'),
      cell: ({ state }) => <Badge color={state === 'streaming' ? 'green' : 'yellow'}>{state}</Badge>,
    },
    {
      header: text('system.sync'),
      cell: ({ sync }) => <Badge color={sync === 'async' ? 'gray' : 'blue'}>{sync}</Badge>,
    },
    {
      header: text('system.behind'),
      isNumber: true,
      cell: ({ lagBytes }) => (lagBytes === null ? '–' : bytesText(lagBytes, locale)),
    },
    {
      header: text('system.replay'),
      isNumber: true,
      from: 'sm',
      cell: ({ lagMs }) => (lagMs === null ? '–' : durationText(lagMs, locale)),
    },
  ];
}
