import { CommandFailure } from '../cli/failure.ts';
import { listTables, type TableRow } from './catalog-statements.ts';
import type { Session } from './session.ts';

/** The tables of a freshly migrated schema, each after those that its foreign keys reference. */
export async function tablesOf(session: Session): Promise<TableRow[]> {
  return inOrderOfReferences(await session.run(listTables));
}

function inOrderOfReferences(tables: readonly TableRow[]): TableRow[] {
  const ordered: TableRow[] = [];
  let left = [...tables];
  while (left.length > 0) {
    const done = new Set(ordered.map(({ name }) => name));
    const next = left.filter(({ parents }) => parents.every((parent) => done.has(parent)));
    if (next.length === 0) {
      throw new Error(`Foreign keys form a circle: ${left.map(({ name }) => name).join(', ')}.`);
    }
    ordered.push(...next);
    left = left.filter((table) => !next.includes(table));
  }
  return ordered;
}

/**
 * Requires that a database has these tables with these columns, and was not changed by hand. Returns the names of
 * tables that Florin does not know.
 *
 * @throws CommandFailure that names the table
 */
export async function requireTables(source: Session, tables: readonly TableRow[]): Promise<string[]> {
  const found = new Map((await source.run(listTables)).map((table) => [table.name, table]));
  for (const { name, columns } of tables) {
    const actual = found.get(name);
    if (actual === undefined) throw new CommandFailure(`table ${name} is missing in the database.`);
    const [missing] = columns.filter((column) => !actual.columns.includes(column));
    const [further] = actual.columns.filter((column) => !columns.includes(column));
    if (missing !== undefined || further !== undefined) {
      throw new CommandFailure(
        `table ${name} was changed by hand: column ${missing ?? further} is ` +
          `${missing === undefined ? 'not part of its schema' : 'missing'}.`,
      );
    }
    found.delete(name);
  }
  return [...found.keys()];
}
