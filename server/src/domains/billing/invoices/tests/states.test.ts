import { expect, test } from 'vitest';
import { invoiceStatuses, mayBecome } from '../states.ts';

test('PAID is OPEN again at most, VOID is final, and no invoice becomes a DRAFT again', () => {
  for (const from of invoiceStatuses) {
    expect(mayBecome(from, 'DRAFT')).toBe(false);
    expect(mayBecome('PAID', from)).toBe(from === 'OPEN');
    expect(mayBecome('VOID', from)).toBe(false);
  }
});
