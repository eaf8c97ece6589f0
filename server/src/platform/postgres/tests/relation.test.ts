import { expect, test } from 'vitest';
import { type Relation, relation, returning, same } from '../relation.ts';

const totals = (rows: Relation<'tenant_id' | 'amount'>) => `total as (select sum(amount) from ${rows.name})`;

test('a relation names its columns by their SQL, and a fragment reads it by its name', () => {
  const paid = relation('paid', { ...same(['tenant_id']), ...same(['amount'], 't'), at: 'now()' }, 'from t');
  expect(paid.cte).toBe('paid as (select tenant_id, t.amount, now() as at from t)');
  expect(totals(paid)).toBe('total as (select sum(amount) from paid)');
});

test('a relation of changed rows returns its columns', () => {
  const changed = returning('changed', 'delete from t', { ...same(['tenant_id', 'amount']), one: '1' });
  expect(changed.cte).toBe('changed as (delete from t returning tenant_id, amount, 1 as one)');
});

test('the compiler refuses a relation that lacks a column', () => {
  const tenants = relation('tenants', same(['tenant_id']), 'from t');
  // @ts-expect-error: it has no `amount`.
  expect(totals(tenants)).toContain('from tenants');
});
