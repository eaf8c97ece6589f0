import { Button } from '@mantine/core';
import { useState } from 'react';
import type { AuditEntry } from '../../api/client.ts';
import { addressOf } from '../../api/client.ts';
import { Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { DottedName } from '../../ui/dotted-name.tsx';
import { FilterBar } from '../../ui/filters/filter-bar.tsx';
import { FilterSelect } from '../../ui/filters/filter-select.tsx';
import { TimeFilters } from '../../ui/filters/time-filters.tsx';
import { useFilters } from '../../ui/filters/use-filters.ts';
import { Dialog } from '../../ui/forms/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { EmptyState } from '../../ui/notes.tsx';
import { Page } from '../../ui/page.tsx';
import { CursorList } from '../../ui/tables/cursor-list.tsx';
import { Actor, AuditEntryView, nounOf, RecordLink } from './audit-entry.tsx';

const filterNames = ['recordType', 'startDate', 'endDate'] as const;
const recordTypes = [
  'user',
  'session',
  'key',
  'tenant',
  'channel',
  'webhook',
  'transaction',
  'refund',
  'customer',
  'invoice',
  'plan',
  'subscription',
];

export default function AuditPage() {
  const text = useText();
  const { texts } = usePreferences();
  const { filters, setFilters } = useFilters(filterNames);
  const [shown, setShown] = useState<AuditEntry>();
  return (
    <Page
      title={text('audit.title')}
      actions={
        <Button
          component="a"
          variant="default"
          href={addressOf('/api/audit/export', { ...filters, format: 'csv' })}
          download
          leftSection={<Icon name="download" size={16} />}
        >
          CSV
        </Button>
      }
    >
      <FilterBar>
        <TimeFilters filters={filters} onChange={setFilters} />
        <FilterSelect
          label={text('audit.record')}
          options={recordTypes.map((type) => ({ value: type, label: text(`noun.${nounOf(type)}` as TextKey) }))}
          value={filters.recordType}
          onChange={(recordType) => setFilters({ recordType })}
        />
      </FilterBar>
      <CursorList
        caption={text('audit.title')}
        operation="audit.list"
        query={filters}
        columns={[
          { header: text('audit.time'), cell: ({ time }) => <Time value={time} precise /> },
          {
            header: text('audit.action'),
            cell: ({ action }) => texts[`auditAction.${action}` as TextKey] ?? <DottedName name={action} />,
          },
          { header: text('audit.who'), cell: (entry) => <Actor entry={entry} /> },
          {
            header: text('audit.record'),
            from: 'sm',
            cell: (entry) => <RecordLink entry={entry} />,
          },
          { header: text('sessions.address'), from: 'md', cell: ({ address }) => address },
          {
            header: text('audit.changes'),
            isControl: true,
            cell: (entry) => (
              <Button variant="default" size="compact-xs" onClick={() => setShown(entry)}>
                {text('audit.show')}
              </Button>
            ),
          },
        ]}
        keyOf={({ id }) => id}
        empty={<EmptyState title={text('audit.none')} />}
      />
      <Dialog
        opened={shown !== undefined}
        onClose={() => setShown(undefined)}
        title={shown && (texts[`auditAction.${shown.action}` as TextKey] ?? shown.action)}
        size="lg"
      >
        {shown && <AuditEntryView entry={shown} />}
      </Dialog>
    </Page>
  );
}
