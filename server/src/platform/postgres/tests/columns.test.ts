import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../../../../tests/support/postgres/database.ts';
import { columns } from '../columns.ts';

interface Sample {
  number: number | null;
  id?: string;
  text: string | null;
  isSet: boolean;
  bytes: Buffer | null;
}

const input = columns<Sample>([
  ['number', 'bigint', ({ number }) => number],
  ['id', 'uuid', ({ id }) => id],
  ['text', 'text', ({ text }) => text],
  ['is_set', 'boolean', ({ isSet }) => isSet],
  ['bytes', 'bytea', ({ bytes }) => bytes],
]);

let db: TestDatabase;

beforeAll(async () => {
  db = await databaseFromTemplate();
});

afterAll(() => db.drop());

test('rows reach the statement as they are, null and undefined as null', async () => {
  const id = '0193c0de-0000-7000-8000-000000000001';
  const rows: Sample[] = [
    {
      number: 9_007_199_254_740_991,
      id,
      text: 'a "quoted" \\ {word}, NULL 💶',
      isSet: true,
      bytes: Buffer.from([0, 255]),
    },
    { number: null, text: null, isSet: false, bytes: null },
    // Longer than the limit from which texts are measured before they are encoded.
    { number: -1, id, text: 'ü'.repeat(5_000), isSet: false, bytes: Buffer.alloc(0) },
    { number: 0, id, text: '', isSet: true, bytes: null },
  ];
  expect(await db.query(input.relation(), input.parametersOf(rows))).toEqual(
    rows.map(({ number, id = null, text, isSet, bytes }) => ({ number, id, text, is_set: isSet, bytes })),
  );
});

test('every type arrives as it is', async () => {
  const all = columns<null>([
    ['least', 'bigint', () => -9_007_199_254_740_991],
    ['int', 'int', () => -2_147_483_648],
    ['small', 'smallint', () => -32_768],
    ['double', 'float8', () => 1764000000000.125],
    ['upper', 'uuid', () => '0193C0DE-ABCD-7000-8000-0000000000EF'],
    ['day', 'date', () => '1999-12-31'],
    ['none', 'date', () => undefined],
  ]);
  expect(await db.query(all.relation(), all.parametersOf([null]))).toEqual([
    {
      least: -9_007_199_254_740_991,
      int: -2_147_483_648,
      small: -32_768,
      double: 1764000000000.125,
      upper: '0193c0de-abcd-7000-8000-0000000000ef',
      day: '1999-12-31',
      none: null,
    },
  ]);
});

test('no rows are an empty relation', async () => {
  expect(await db.query(input.relation(), input.parametersOf([]))).toEqual([]);
});

test('further columns follow those of the list, in the SQL and in the parameters', async () => {
  const number = columns<number>([['number', 'int', (value) => value]]);
  const double = columns<number>([['double', 'int', (value) => 2 * value]]);
  const values = [1, 2];
  expect(number.relation(double.list)).toBe('select * from unnest($1::int[], $2::int[]) as row (number, double)');
  expect(
    await db.query(number.relation(double.list), [...number.parametersOf(values), ...double.parametersOf(values)]),
  ).toEqual([
    { number: 1, double: 2 },
    { number: 2, double: 4 },
  ]);
});
