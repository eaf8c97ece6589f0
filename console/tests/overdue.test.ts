import { expect, test } from 'vitest';
import { dayBefore, daysOverdue } from '../src/pages/invoices/overdue.ts';

test.each([
  ['OPEN', '2026-11-26', 1],
  ['OPEN', '2026-11-27', 0],
  ['OPEN', '2026-12-01', 0],
  ['OPEN', '2025-11-27', 365],
  ['OPEN', null, 0],
  ['PAID', '2026-11-01', 0],
])('an invoice that is %s and due on %s is overdue by %i days', (status, dueDate, days) => {
  expect(daysOverdue({ status, dueDate }, '2026-11-27')).toBe(days);
});

test('the day before the first of March follows the calendar', () => {
  expect(dayBefore('2028-03-01')).toBe('2028-02-29');
});
