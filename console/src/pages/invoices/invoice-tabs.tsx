import { Tabs } from '@mantine/core';
import { invoicesListStatus } from '../../api/choices.ts';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { dayBefore, todayUtc } from './overdue.ts';

interface InvoiceTabsProps {
  filters: { status: string; dueTo: string };
  onChange: (changed: { status: string; dueTo: string }) => void;
}

/** The statuses of invoices. Overdue are the open ones that were due before today. */
export function InvoiceTabs({ filters: { status, dueTo }, onChange }: InvoiceTabsProps) {
  const text = useText();
  const [draft, open, ...others] = invoicesListStatus;
  const names = ['ALL', draft, open, 'OVERDUE', ...others];
  const shown = status === 'OPEN' && dueTo !== '' ? 'OVERDUE' : status || 'ALL';
  const show = (name: string) => {
    if (name === 'OVERDUE') onChange({ status: 'OPEN', dueTo: dayBefore(todayUtc()) });
    else onChange({ status: name === 'ALL' ? '' : name, dueTo: '' });
  };
  return (
    <Tabs value={shown} onChange={(name) => show(name ?? 'ALL')}>
      <Tabs.List className="scrolled">
        {names.map((name) => (
          <Tabs.Tab key={name} value={name} px="sm">
            {text(`status.${name}` as TextKey)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  );
}
