import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ListName, pathOf, type Query, type RowOf } from '../../api/client.ts';
import { customerNames, exportedRows, saveFile } from '../../api/export-rows.ts';
import { useScopedQuery } from '../../api/hooks.ts';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { Icon } from '../icons.tsx';
import { ErrorNote } from '../notes.tsx';
import { type FinanceColumns, type FinanceList, fileNameOf, financeColumns, financeCsv } from './finance-file.ts';

interface FinanceButtonProps {
  operation: ListName;
  query: Query;
  title: string;
}

/** Saves the rows that match the filters as finance needs them: major units, names, the user's formats. */
export function FinanceButton({ operation, query, title }: FinanceButtonProps) {
  const text = useText();
  const { locale, timeZone } = usePreferences();
  const path = pathOf(operation);
  const scoped = useScopedQuery(path, query);
  const noun = path.split('/')[2] as FinanceList;
  const saving = useMutation({
    mutationFn: async () => {
      const style = { text, locale, timeZone };
      const rows: Row[] = [];
      for await (const row of exportedRows(operation, scoped)) rows.push(row as Row);
      const names = await customerNames(rows.flatMap(({ customerId }) => customerId ?? []));
      const columns = financeColumns[noun](style) as FinanceColumns<Row>;
      const content = financeCsv(columns, rows, names, style);
      const times = rows.map(({ createdTime }) => createdTime);
      saveFile(new Blob([content], { type: 'text/csv;charset=utf-8' }), fileNameOf(title, times, style));
    },
  });
  if (!(noun in financeColumns)) return null;
  return (
    <>
      <ErrorNote error={saving.error} />
      <Button
        variant="default"
        leftSection={<Icon name="download" size={16} />}
        loading={saving.isPending}
        onClick={() => saving.mutate()}
      >
        {text('finance.save')}
      </Button>
    </>
  );
}

type Row = RowOf<'transactions.list'>;
