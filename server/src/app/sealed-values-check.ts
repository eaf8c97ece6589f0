import type { CheckKeys, KeyedCheck } from '../platform/keyed-check.ts';
import type { Queryable } from '../platform/postgres/database.ts';
import type { SealedColumn, SealedRow } from '../platform/postgres/sealed-column-statements.ts';
import { sealedColumns } from './reseal-values.ts';

const pageRows = 500;
/** No key has this id: `page` then returns every value. */
const noKey = '';

/** A value is sealed with its associated data, so one that was copied from another column or row does not open. */
export const placesCheck: KeyedCheck = {
  claim: 'Every sealed value opens where it is stored: it was neither changed, nor copied from another place',
  check: async (snapshot, keys, atMost) => {
    const offenders: string[] = [];
    let [opened, unchecked] = [0, 0];
    for (const column of sealedColumns) {
      for await (const row of valuesOf(column, snapshot)) {
        const sealed = row.sealed as Buffer;
        if (!keys.has(sealed)) unchecked++;
        else if (opens(sealed, column.associatedData(row), keys)) opened++;
        else if (offenders.length < atMost) offenders.push(nameOf(row, column));
      }
    }
    return { offenders, note: `${opened} values`, unchecked };
  },
};

function opens(sealed: Buffer, associatedData: string, { open }: CheckKeys): boolean {
  try {
    open(sealed, associatedData);
    return true;
  } catch {
    return false;
  }
}

function nameOf(row: SealedRow, { table, column, keyOf }: SealedColumn): string {
  return `${table}.${column} of ${keyOf(row).join(' ')}`;
}

async function* valuesOf(column: SealedColumn, snapshot: Queryable): AsyncGenerator<SealedRow> {
  for (let after: (string | number)[] | undefined = column.beforeAll; after !== undefined; ) {
    const page: SealedRow[] = await snapshot.run(column.page, [noKey, pageRows, ...after]);
    yield* page.filter(({ sealed }) => sealed !== null);
    const last = page.at(-1);
    after = page.length < pageRows || last === undefined ? undefined : column.keyOf(last);
  }
}
