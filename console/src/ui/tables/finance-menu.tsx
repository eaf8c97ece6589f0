import { Button, Menu } from '@mantine/core';
import { addressOf, type OperationName, pathOf, type Query } from '../../api/client.ts';
import { useScopedQuery } from '../../api/hooks.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { utcLimit } from '../filters/utc-limit.ts';
import { Icon } from '../icons.tsx';

export type FinanceFile = Extract<OperationName, `finances.${string}`>;

const contentOf: Readonly<Record<FinanceFile, TextKey>> = {
  'finances.payments': 'payments.title',
  'finances.refunds': 'refunds.title',
  'finances.invoices': 'invoices.title',
  'finances.ledger': 'ledger.title',
  'finances.taxes': 'finance.taxes',
};

interface FinanceMenuProps {
  files: readonly FinanceFile[];
  /** The filters of the page. */
  query: Query;
}

/**
 * Links to files for finance, which the browser saves while the service writes them: the rows that match the filters,
 * in the language and the time zone of the user.
 */
export function FinanceMenu({ files, query }: FinanceMenuProps) {
  const text = useText();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />}>
          {text('finance.save')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {files.map((file) => (
          <FileLinks key={file} file={file} query={query} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function FileLinks({ file, query }: { file: FinanceFile; query: Query }) {
  const text = useText();
  const { preferences, timeZone } = usePreferences();
  const path = pathOf(file);
  const scoped = useScopedQuery(path, { ...filtersOf(file, query), language: preferences.language, timeZone });
  return (
    <>
      <Menu.Label>{text(contentOf[file])}</Menu.Label>
      {(['xlsx', 'csv'] as const).map((format) => (
        <Menu.Item key={format} component="a" href={addressOf(path, { ...scoped, format })} download>
          {text(`finance.${format}`)}
        </Menu.Item>
      ))}
    </>
  );
}

/** Days of the ledger are of UTC in its file, too; those of other lists would be of the zone. */
function filtersOf(file: FinanceFile, query: Query): Query {
  if (file === 'finances.ledger') return query;
  const limits = {
    startDate: utcLimit(String(query.startDate ?? ''), false),
    endDate: utcLimit(String(query.endDate ?? ''), true),
  };
  // Taxes are sums over all invoices.
  return file === 'finances.taxes' ? { currency: query.currency, ...limits } : { ...query, ...limits };
}
