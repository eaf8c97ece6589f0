import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '../../../core/errors.ts';
import { failure } from '../providers/failures.ts';
import { contentOf, parseChannelParam, retryAt } from './rules.ts';

test.each([
  ['1', { id: 1 }],
  ['0012', { id: 12 }],
  ['9007199254740991', { id: 9007199254740991 }],
  ['9007199254740992', undefined],
  ['99999999999999999999999999', undefined],
  ['cards', { code: 'cards' }],
  ['1a', { code: '1a' }],
  ['A.b_c-9', { code: 'A.b_c-9' }],
  ['', undefined],
  ['-1', { code: '-1' }],
  ['1e3', { code: '1e3' }],
  ['a b', undefined],
  ['a\0', undefined],
  ['١', undefined],
  ['c'.repeat(65), undefined],
])('the channel parameter %j is parsed as %j', (text, parsed) => {
  expect(parseChannelParam(text)).toEqual(parsed);
});

test('a final outcome is stored in full, any other only as its kind', () => {
  const failed = { kind: 'failed', failure: failure('card_declined', 'do_not_honor') } as const;
  expect(contentOf({ eventId: 'evt_1', notice: { key: 'txn_1-1', outcome: failed } })).toEqual({
    key: 'txn_1-1',
    reference: null,
    said: 'failed',
    outcome: failed,
  });
  const nextAction = { type: 'confirm', url: null, clientSecret: 'pi_1_secret_2' } as const;
  const needsPayer = { kind: 'needs_payer', reference: 'pi_1', nextAction } as const;
  const content = contentOf({ eventId: 'evt_1', notice: { reference: 'pi_1', outcome: needsPayer } });
  expect(content).toEqual({ key: null, reference: 'pi_1', said: 'needs_payer', outcome: null });
  expect(contentOf({ eventId: 'evt_1', notice: { reference: 'tr_1' } })?.said).toBe('changed');
  expect(contentOf({ eventId: 'evt_1' })).toBeNull();
});

test.each([
  { eventId: '' },
  { eventId: 'a\0' },
  { eventId: '\ud800' },
  { eventId: 'e'.repeat(256) },
  { eventId: 'evt', notice: { key: '\0' } },
  { eventId: 'evt', notice: { reference: 'r'.repeat(256) } },
  { eventId: 'evt', notice: { outcome: { kind: 'succeeded' as const, reference: 'pi_\udc00' } } },
  { eventId: 'evt', notice: { outcome: { kind: 'succeeded' as const, reference: 'r'.repeat(256) } } },
  { eventId: 'evt', notice: { outcome: { kind: 'failed' as const, failure: failure('card_declined', 'a\0') } } },
  {
    eventId: 'evt',
    notice: { outcome: { kind: 'failed' as const, failure: failure('card_declined', null, 'x'.repeat(9000)) } },
  },
])('a callback that cannot be stored is refused: %j', (message) => {
  expect(() => contentOf(message)).toThrow(expect.objectContaining({ type: 'callback_invalid' }));
});

test('any content is stored unchanged or refused', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  fc.assert(
    fc.property(text, text, text, (eventId, key, reference) => {
      try {
        const content = contentOf({ eventId, notice: { key, reference, outcome: { kind: 'cancelled', reference } } });
        expect(JSON.stringify(content)).not.toContain('\\u0000');
        expect(content).toEqual({ key, reference, said: 'cancelled', outcome: { kind: 'cancelled', reference } });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
      }
    }),
    { seed: 7, numRuns: 100 },
  );
});

test('there is no retry after the last wait', () => {
  expect([0, 1, 2, 3, 4].map((tries) => retryAt(tries, 0))).toEqual([5_000, 30_000, 300_000, 3_600_000, undefined]);
});
