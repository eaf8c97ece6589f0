import type { IncomingHttpHeaders } from 'node:http';
import { Type } from 'typebox';
import { invalid } from '../../core/errors.ts';

/** The headers of an endpoint that accepts an Idempotency-Key. */
export const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'A request with the same key and body returns the same answer again; the same key with another body is refused (422).',
    }),
  ),
});

/** Marks an answer that repeats an earlier one. */
export const replayedHeader = { headers: { 'idempotency-replayed': 'true' } };

/** The reply to a write that accepts an Idempotency-Key. */
export function replyOnce<Data>(message: string, { answer, replayed }: { answer: Data; replayed: boolean }) {
  return { message, data: answer, ...(replayed && replayedHeader) };
}

export function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length >= 1 && key.length <= 255) return key;
  throw invalid('Idempotency-Key', 'Idempotency-Key must have 1 to 255 characters.');
}
