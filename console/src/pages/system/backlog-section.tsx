import type { SystemHealthBacklog } from '../../api/client.ts';
import { durationText } from '../../format/quantity.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { Section } from '../../ui/page.tsx';
import { DataTable } from '../../ui/tables/data-table.tsx';
import { Warned } from './database-section.tsx';

/** Due work is claimed within seconds, also when its node has died (leases last less than a minute). */
const lateAfterSeconds = 60;
const stuckAfterSeconds = 600;

export function BacklogSection({ backlog }: { backlog: readonly SystemHealthBacklog[] }) {
  const text = useText();
  const { locale } = usePreferences();
  return (
    <Section title={text('system.backlog')}>
      <DataTable
        caption={text('system.backlog')}
        columns={[
          { header: text('system.work'), cell: ({ work }) => text(`system.work.${work}` as TextKey) },
          {
            header: text('system.due'),
            isNumber: true,
            cell: ({ due }) => new Intl.NumberFormat(locale).format(due),
          },
          {
            header: text('system.oldest'),
            isNumber: true,
            cell: ({ oldestSeconds }) =>
              oldestSeconds === null ? (
                '–'
              ) : (
                <Warned color={colorOf(oldestSeconds)}>{durationText(oldestSeconds * 1_000, locale)}</Warned>
              ),
          },
        ]}
        rows={backlog}
        keyOf={({ work }) => work}
        empty={null}
      />
    </Section>
  );
}

function colorOf(seconds: number): string | undefined {
  if (seconds > stuckAfterSeconds) return 'red';
  return seconds > lateAfterSeconds ? 'yellow' : undefined;
}
