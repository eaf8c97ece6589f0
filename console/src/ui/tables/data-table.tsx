import { Button, Checkbox, Group, Paper, Skeleton, Table, Text, VisuallyHidden } from '@mantine/core';
import { type MouseEvent, type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { Money } from '../../format/money.tsx';
import { ShortTimes } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { StatusBadge } from '../status-badge.tsx';
import classes from './data-table.module.css';
import { type Amount, sumsByStatus } from './selection-sums.ts';

export interface Column<Row> {
  /** Its name in the address and in saved views. A column without an id cannot be hidden. */
  id?: string;
  /** Hidden unless the user chooses it. */
  isExtra?: boolean;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Right-aligned. */
  isNumber?: boolean;
  /** Has controls of its own. Its header is only for screen readers. */
  isControl?: boolean;
  /** Shown in place of the header. */
  head?: ReactNode;
  /** Hidden on narrower screens. */
  from?: 'xs' | 'sm' | 'md' | 'lg' | 'xl' | undefined;
}

interface DataTableProps<Row> {
  /** For screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  /** Undefined: not loaded yet. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** The page that a click on a row opens. The first cell without controls has the link. */
  linkOf?: (row: Row) => string;
  /** Rows can be selected, and the table shows the sums of these amounts by status. */
  amountOf?: ((row: Row) => Amount) | undefined;
  /** Shown if there are no rows. */
  empty: ReactNode;
}

export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, rows, keyOf, linkOf, amountOf, empty } = props;
  const selection = useSelection(rows, keyOf);
  const shown = useWithTenant(props.columns, rows).filter(({ isExtra }) => !isExtra);
  const columns = amountOf === undefined ? shown : [selection.column, ...shown];
  if (rows?.length === 0) return <>{empty}</>;
  const linked = columns.find(({ isControl }) => !isControl);
  return (
    <ShortTimes value={true}>
      {/* Focusable, because a wide table without links in its rows could not be scrolled with the keyboard. */}
      <Paper withBorder className={classes.frame} tabIndex={linkOf === undefined ? 0 : undefined}>
        <Table
          highlightOnHover={linkOf !== undefined}
          // On Mantine's own grey links have a contrast of 4.49.
          highlightOnHoverColor="light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-5))"
          verticalSpacing={7}
          horizontalSpacing="sm"
        >
          <caption>
            <VisuallyHidden>{caption}</VisuallyHidden>
          </caption>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column.header} className={classOf(column)} visibleFrom={column.from}>
                  {column.head ?? (column.isControl ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody onMouseMove={showCutText}>
            {rows === undefined ? (
              <Placeholder columns={columns} />
            ) : (
              rows.map((row) => (
                <Table.Tr key={keyOf(row)} className={linkOf && classes.linked}>
                  {columns.map((column) => (
                    <Table.Td key={column.header} className={classOf(column)} visibleFrom={column.from}>
                      {column === linked && linkOf ? (
                        <Link href={linkOf(row)} className={classes.link}>
                          {column.cell(row)}
                        </Link>
                      ) : (
                        column.cell(row)
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            )}
          </Table.Tbody>
        </Table>
      </Paper>
      {amountOf !== undefined && <SelectionSums rows={selection.rows} amountOf={amountOf} onClear={selection.clear} />}
    </ShortTimes>
  );
}

/** The rows that are selected, and the column that selects them. */
function useSelection<Row>(rows: readonly Row[] | undefined, keyOf: (row: Row) => string | number) {
  const text = useText();
  const [keys, setKeys] = useState<ReadonlySet<string | number>>(new Set());
  const selected = (rows ?? []).filter((row) => keys.has(keyOf(row)));
  const isAll = rows !== undefined && rows.length > 0 && selected.length === rows.length;
  const toggle = (row: Row) => {
    const next = new Set(keys);
    if (!next.delete(keyOf(row))) next.add(keyOf(row));
    setKeys(next);
  };
  const column: Column<Row> = {
    header: text('selection.column'),
    isControl: true,
    // A phone needs the width for the customer.
    from: 'sm',
    head: (
      <Checkbox
        size="xs"
        aria-label={text('selection.all')}
        checked={isAll}
        indeterminate={selected.length > 0 && !isAll}
        onChange={() => setKeys(new Set(isAll ? [] : (rows ?? []).map(keyOf)))}
      />
    ),
    cell: (row) => (
      <Checkbox
        size="xs"
        className={classes.select}
        aria-label={text('selection.one')}
        checked={keys.has(keyOf(row))}
        onChange={() => toggle(row)}
      />
    ),
  };
  return { rows: selected, column, clear: () => setKeys(new Set()) };
}

interface SelectionSumsProps<Row> {
  rows: readonly Row[];
  amountOf: (row: Row) => Amount;
  onClear: () => void;
}

/** How many rows are selected, and the sums of their amounts by status and currency. */
function SelectionSums<Row>({ rows, amountOf, onClear }: SelectionSumsProps<Row>) {
  const text = useText();
  return (
    <Group gap="sm" role="status" className={classes.sums}>
      {rows.length > 0 && (
        <>
          <Text size="sm">{text.count('selection.count', rows.length)}</Text>
          {sumsByStatus(rows.map(amountOf)).map(({ status, sums }) => (
            <Group key={status} gap={6} wrap="nowrap">
              <StatusBadge status={status} />
              {sums.map(({ currency, amount }) => (
                <Text key={currency} size="sm" fw={600}>
                  <Money amount={amount} currency={currency} />
                </Text>
              ))}
            </Group>
          ))}
          <Button size="compact-xs" variant="subtle" onClick={onClear}>
            {text('selection.clear')}
          </Button>
        </>
      )}
    </Group>
  );
}

/**
 * Shows text that is cut off by its cell in a tooltip. Searches for the cell under the pointer, because the link of the
 * row covers the cells.
 */
function showCutText({ target, clientX, clientY }: MouseEvent<HTMLElement>): void {
  const cell = document.elementsFromPoint(clientX, clientY).find((element) => element instanceof HTMLTableCellElement);
  const isCut = cell !== undefined && cell.scrollWidth > cell.clientWidth;
  const element = target as HTMLElement;
  const hasOwnTitle = element.title !== '' && element.dataset.cut === undefined;
  if (hasOwnTitle) return;
  if (isCut) element.dataset.cut = '';
  else delete element.dataset.cut;
  element.title = isCut ? cell.textContent : '';
}

/** Adds a column with the tenant of each row when a platform administrator sees the rows of all tenants. */
function useWithTenant<Row>(columns: readonly Column<Row>[], rows: readonly Row[] | undefined): readonly Column<Row>[] {
  const text = useText();
  const { tenantId, tenants } = useTenant();
  const of = (row: Row) => (row as { tenantId?: string | number | null }).tenantId;
  if (tenants.length === 0 || tenantId !== undefined || rows?.[0] === undefined || of(rows[0]) === undefined) {
    return columns;
  }
  const names = new Map(tenants.map(({ id, name }) => [String(id), name]));
  const nameOf = (id: string | number | null | undefined) =>
    id === null || id === undefined ? text('shell.platform') : (names.get(String(id)) ?? String(id));
  const tenant: Column<Row> = { header: text('tenants.one'), cell: (row) => nameOf(of(row)), from: 'lg' };
  const isLastControl = columns.at(-1)?.isControl === true;
  return isLastControl ? [...columns.slice(0, -1), tenant, ...columns.slice(-1)] : [...columns, tenant];
}

function Placeholder<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return [1, 2, 3, 4, 5].map((row) => (
    <Table.Tr key={row}>
      {columns.map((column) => (
        <Table.Td key={column.header} visibleFrom={column.from}>
          <Skeleton height={14} my={4} />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}

function classOf({ isNumber, isControl }: Column<never>): string | undefined {
  if (isControl) return classes.control;
  return isNumber ? classes.number : classes.text;
}
