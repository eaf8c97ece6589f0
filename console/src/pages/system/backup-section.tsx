import { Badge, Group } from '@mantine/core';
import type { SystemHealth } from '../../api/client.ts';
import { durationText } from '../../format/quantity.ts';
import { Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';

export function BackupSection({ backup, versions }: Pick<SystemHealth, 'backup' | 'versions'>) {
  const text = useText();
  const { florin, runtime, postgres } = versions;
  return (
    <Section title={text('system.backup')}>
      <Facts
        facts={[
          [text('system.proven'), <Proven key="proven" backup={backup} />],
          ['Florin', florin],
          ['Node.js', runtime],
          ['PostgreSQL', postgres],
          [text('system.migrations'), <Migrations key="migrations" versions={versions} />],
        ]}
      />
    </Section>
  );
}

function Proven({ backup: { provenTime, ageSeconds, expectedSeconds } }: Pick<SystemHealth, 'backup'>) {
  const text = useText();
  const { locale } = usePreferences();
  const isOld = expectedSeconds !== null && (ageSeconds === null || ageSeconds > expectedSeconds);
  if (provenTime === null) return <Badge color={isOld ? 'red' : 'gray'}>{text('system.noBackup')}</Badge>;
  return (
    <Group gap="xs">
      <Time value={provenTime} />
      {isOld && (
        <Badge color="red">{text('system.tooOld', { time: durationText(expectedSeconds * 1_000, locale) })}</Badge>
      )}
    </Group>
  );
}

function Migrations({ versions: { migrationsApplied, newestApplied, newestKnown } }: Pick<SystemHealth, 'versions'>) {
  const text = useText();
  const newest = newestApplied ?? '–';
  return (
    <Group gap="xs">
      {text('system.applied', { n: migrationsApplied, newest })}
      {newest < newestKnown && <Badge color="red">{text('system.newerKnown', { newest: newestKnown })}</Badge>}
      {newest > newestKnown && <Badge color="yellow">{text('system.newerApplied')}</Badge>}
    </Group>
  );
}
