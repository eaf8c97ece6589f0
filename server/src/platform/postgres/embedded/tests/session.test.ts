import { afterEach, expect, inject, test } from 'vitest';
import type { EmbeddedConnection } from '../contract.ts';
import { openSession } from '../database.ts';

const given = process.env.PGOPTIONS;

afterEach(() => {
  if (given === undefined) delete process.env.PGOPTIONS;
  else process.env.PGOPTIONS = given;
});

test('PGOPTIONS, which the environment has for another PostgreSQL, does not reach the embedded one', async () => {
  process.env.PGOPTIONS = '-c search_path=elsewhere';
  const client = await openSession(inject('service') as EmbeddedConnection);
  const { rows } = await client.query('show search_path');
  await client.end();
  expect(rows).toEqual([{ search_path: 'pg_catalog' }]);
});
