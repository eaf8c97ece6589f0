import { Paper, Skeleton, Table, VisuallyHidden } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';
import { useText } from '../../shell/preferences.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import classes from './data-table.module.css';

export interface Column<Row> {
  /** By which the address and saved views name it; a column without one cannot be hidden. */
  id?: string;
  /** Shown only to those who choose it. */
  isExtra?: boolean;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Amounts stand at the right, so that their digits are under each other. */
  isNumber?: boolean;
  /** Holds something to click that is not the row itself; its header is for screen readers alone. */
  isControl?: boolean;
  /** Not shown on narrower screens. */
  from?: 'xs' | 'sm' | 'md' | 'lg' | 'xl' | undefined;
}

interface DataTableProps<Row> {
  /** For screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  /** Undefined: not read yet. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** Where a click on the row leads; its first cell without control holds the link. */
  linkOf?: (row: Row) => string;
  /** Instead of a table without rows. */
  empty: ReactNode;
}

export function DataTable<Row>({ caption, columns: own, rows, keyOf, linkOf, empty }: DataTableProps<Row>) {
  const columns = useWithTenant(own, rows).filter(({ isExtra }) => !isExtra);
  if (rows?.length === 0) return <>{empty}</>;
  const linked = columns.find(({ isControl }) => !isControl);
  return (
    // Without links in its rows, a wide table could not be scrolled with the keyboard.
    <Paper withBorder className={classes.frame} tabIndex={linkOf === undefined ? 0 : undefined}>
      <Table highlightOnHover={linkOf !== undefined} verticalSpacing={7} horizontalSpacing="sm">
        <caption>
          <VisuallyHidden>{caption}</VisuallyHidden>
        </caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column.header} className={classOf(column)} visibleFrom={column.from}>
                {column.isControl ? <VisuallyHidden>{column.header}</VisuallyHidden> : column.header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody onMouseMove={nameCutText}>
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
  );
}

/**
 * Text that is cut because its cell is too narrow is shown by a tooltip. The link of a row covers its cells, so that the cell under
 * the pointer has to be looked for.
 */
function nameCutText({ target, clientX, clientY }: MouseEvent<HTMLElement>): void {
  const cell = document.elementsFromPoint(clientX, clientY).find((element) => element instanceof HTMLTableCellElement);
  const isCut = cell !== undefined && cell.scrollWidth > cell.clientWidth;
  const element = target as HTMLElement;
  const hasOwnTitle = element.title !== '' && element.dataset.cut === undefined;
  if (hasOwnTitle) return;
  if (isCut) element.dataset.cut = '';
  else delete element.dataset.cut;
  element.title = isCut ? cell.textContent : '';
}

/** With the tenant of each row, where a platform administrator looks at the rows of all. */
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
