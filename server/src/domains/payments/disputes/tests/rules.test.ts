import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { dayMs } from '../../../../core/clock.ts';
import {
  type DisputeStatus,
  disputeStages,
  disputeStatuses,
  type ProviderDispute,
  type ProviderDisputeStatus,
} from '../../providers/dispute.ts';
import { changeOf } from '../change.ts';
import { nextDeadline } from '../deadlines.ts';
import { FileInspection } from '../file-content.ts';
import { nextStatuses, standingAfter } from '../states.ts';

const respondBy = '2026-12-01T00:00:00.000Z';
const reportable = disputeStatuses.filter((status): status is ProviderDisputeStatus => status !== 'EXPIRED');

describe('the status after a report', () => {
  const pairs = disputeStatuses.flatMap((from) => reportable.map((to) => [from, to] as const));

  test.each(pairs)('at the same stage, from %s to %s, follows the table', (from, to) => {
    const before = { stage: 'CHARGEBACK', status: from, respond_by: respondBy } as const;
    const later = '2026-12-09T00:00:00.000Z';
    const after = standingAfter(before, { stage: 'CHARGEBACK', status: to, respondBy: later });
    const expected: DisputeStatus = nextStatuses[from].includes(to) ? to : from;
    expect(after).toEqual({ stage: 'CHARGEBACK', status: expected });
  });

  test.each(pairs)('at a higher stage, from %s to %s, is what the provider says', (from, to) => {
    const before = { stage: 'INQUIRY', status: from, respond_by: respondBy } as const;
    for (const stage of disputeStages.slice(1)) {
      expect(standingAfter(before, { stage, status: to, respondBy })).toEqual({ stage, status: to });
    }
  });

  test('at a lower stage is older than what is known, unless an offer to go on has ended without an answer', () => {
    const before = { stage: 'ARBITRATION', status: 'EXPIRED', respond_by: respondBy } as const;
    const report = { stage: 'CHARGEBACK', respondBy: '2026-12-02T00:00:00.000Z' } as const;
    expect(standingAfter(before, { ...report, status: 'OPEN' })).toEqual({ stage: 'ARBITRATION', status: 'EXPIRED' });
    expect(standingAfter(before, { ...report, status: 'LOST' })).toEqual({ stage: 'ARBITRATION', status: 'LOST' });
  });

  test('of one that has expired is OPEN again only by a later deadline', () => {
    const before = { stage: 'CHARGEBACK', status: 'EXPIRED', respond_by: respondBy } as const;
    const report = { stage: 'CHARGEBACK', status: 'OPEN' } as const;
    expect(standingAfter(before, { ...report, respondBy }).status).toBe('EXPIRED');
    expect(standingAfter(before, { ...report, respondBy: null }).status).toBe('EXPIRED');
    expect(standingAfter(before, { ...report, respondBy: '2026-12-02T00:00:00.000Z' }).status).toBe('OPEN');
  });
});

describe('the next deadline', () => {
  const dueMs = Date.parse(respondBy);
  const at = (daysBefore: number, days_told: number | null = null, status: DisputeStatus = 'OPEN') =>
    nextDeadline({ status, respond_by: respondBy, days_told }, dueMs - daysBefore * dayMs);

  test('is told three days before, one day before, and then passes', () => {
    expect(at(7)).toEqual({ atMs: dueMs - 3 * dayMs, daysLeft: 3 });
    expect(at(3)).toEqual({ atMs: dueMs - 3 * dayMs, daysLeft: 3 });
    expect(at(2, 3)).toEqual({ atMs: dueMs - dayMs, daysLeft: 1 });
    expect(at(1, 1)).toEqual({ atMs: dueMs, daysLeft: null });
    expect(at(0, 1)).toEqual({ atMs: dueMs, daysLeft: null });
  });

  test('that was missed is told at once, and only the latest', () => {
    expect(at(0.5)).toEqual({ atMs: dueMs - dayMs, daysLeft: 1 });
    expect(at(2)).toEqual({ atMs: dueMs - 3 * dayMs, daysLeft: 3 });
  });

  test('is none of a dispute that cannot be answered', () => {
    for (const status of disputeStatuses.filter((one) => one !== 'OPEN')) expect(at(7, null, status)).toBeUndefined();
    expect(nextDeadline({ status: 'OPEN', respond_by: null, days_told: null }, dueMs)).toBeUndefined();
  });
});

/** What a file is that arrives in chunks of so many bytes. */
function inspected(content: Buffer, chunkBytes = content.length) {
  const inspection = new FileInspection();
  for (let at = 0; at < content.length; at += chunkBytes) inspection.push(content.subarray(at, at + chunkBytes));
  return inspection.end();
}

describe('a deadline that the provider postpones', () => {
  const charge = {
    tenant_id: 1,
    id: 'p',
    livemode: false,
    currency: 'USD',
    channelId: 1,
    provider: 'sandbox' as const,
  };
  const reported: ProviderDispute = {
    ...{ reference: 'dp', chargeReference: 'ch', stage: 'CHARGEBACK', status: 'OPEN', amount: 1, currency: 'USD' },
    ...{ fee: null, reason: 'fraudulent', providerReason: null, respondBy, actions: [], evidenceFields: [] },
    ...{ defenseReasons: [], movements: [] },
  };
  const atMs = Date.parse('2026-11-30T12:00:00Z');
  const deps = { atMs, readMs: atMs, generateUuid: () => 'u' };

  test('is told again, and one that stays is not', () => {
    const { after } = changeOf(null, [], reported, charge, deps);
    const told = { ...after, days_told: 1 };
    expect(changeOf(told, [], reported, charge, deps).after.days_told).toBe(1);
    const postponed = changeOf(told, [], { ...reported, respondBy: '2026-12-20T00:00:00.000Z' }, charge, deps);
    expect(postponed.events).toEqual(['dispute.updated']);
    expect(postponed.after).toMatchObject({ days_told: null, due_at: '2026-12-17T00:00:00.000Z' });
  });
});

describe('a file is known by its content', () => {
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    Buffer.from('....IHDR....'),
    Buffer.from([0, 0, 0, 0]),
    Buffer.from('IEND'),
    Buffer.from([0xae, 0x42, 0x60, 0x82]),
  ]);
  const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 0xff, 0xd9]);
  const page = '3 0 obj<</Type /Page/Parent 2 0 R>>endobj\n';
  const pdf = (body: string) => Buffer.from(`%PDF-1.7\n${body}trailer\n%%EOF\n`, 'latin1');

  test.each([
    ['a PNG', png, 'image/png'],
    ['a JPEG', jpeg, 'image/jpeg'],
    ['a TIFF', Buffer.from([0x49, 0x49, 0x2a, 0, 8, 0, 0, 0]), 'image/tiff'],
    ['a PDF', pdf(page), 'application/pdf'],
    ['a PNG that is cut off', png.subarray(0, 20), undefined],
    ['a JPEG that is cut off', jpeg.subarray(0, 6), undefined],
    ['a PDF that is cut off', Buffer.from('%PDF-1.7\n'), undefined],
    ['text', Buffer.from('<html>'), undefined],
    ['nothing', Buffer.alloc(0), undefined],
  ])('%s', (_, content, type) => {
    expect(inspected(content).type).toBe(type);
  });

  test('and a PDF by its pages, also those in streams of objects', () => {
    expect(inspected(pdf(`2 0 obj<</Type/Pages/Count 2>>endobj\n${page}${page}`)).pages).toBe(2);
    const objects = deflateSync('<</Type/Page>> <</Type /Page /Parent 1 0 R>> <</Type/Pages>>');
    const stream = Buffer.concat([
      Buffer.from('%PDF-1.7\n5 0 obj<</Type/ObjStm/Filter/FlateDecode/N 3>>\nstream\r\n', 'latin1'),
      objects,
      Buffer.from('\r\nendstream endobj\n%%EOF', 'latin1'),
    ]);
    expect(inspected(stream).pages).toBe(2);
    expect(inspected(pdf(`${page}trailer<</Encrypt 9 0 R>>`)).pages).toBeUndefined();
    expect(inspected(pdf('1 0 obj<<>>endobj\n')).pages).toBeUndefined();

    const long = Buffer.concat([stream.subarray(0, 9), Buffer.from(`${page}${' '.repeat(9_000)}${page}`), stream]);
    for (const chunkBytes of [1, 7, 64, 4_096, 65_536]) {
      expect(inspected(long, chunkBytes)).toEqual({ type: 'application/pdf', pages: 4 });
    }
    const cutOff = stream.subarray(0, stream.indexOf('endstream'));
    expect(inspected(Buffer.concat([cutOff, Buffer.from('%%EOF')]), 10).pages).toBeUndefined();
  });
});
