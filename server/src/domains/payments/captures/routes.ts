import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { PaymentsApp } from '../app.ts';
import { captureRecord } from '../transactions/capture-record.ts';
import { transactionRecord } from '../transactions/schema.ts';
import { createCapture } from './create.ts';
import { releaseRest } from './release.ts';
import { captureInput, releaseInput } from './schema.ts';

const { postOnce } = routesFor<PaymentsApp>();

export const captureRoutes: readonly Route<PaymentsApp>[] = [
  postOnce('/api/transaction/capture', 'transaction_write', 'Transactions', {
    summary: 'Capture an authorized transaction',
    events: 2,
    description:
      'Takes the money of a transaction with `captureMethod` MANUAL that its provider has authorized: all of it, or ' +
      'a part. The capture is PENDING until the provider reports its result (`transaction.captured`, or ' +
      '`transaction.capture_failed`, after which the amount can be captured again). One capture or release of a ' +
      'transaction is under way at a time.',
    body: captureInput,
    refuses: ['not_capturable', 'capture_exceeds_authorization', 'capture_under_way', 'channel_cannot'],
    data: captureRecord,
    message: 'Capture created',
    handle: createCapture,
  }),

  postOnce('/api/transaction/release', 'transaction_write', 'Transactions', {
    summary: 'Release what was not captured',
    events: 1,
    description:
      'Ends an authorized transaction after a capture that was not final: the payer gets the rest back, and the ' +
      'transaction is SUCCESS when the provider has confirmed that. Without a capture, `POST ' +
      '/api/transaction/update` with status CANCELLED releases the whole amount.',
    body: releaseInput,
    refuses: ['not_capturable', 'capture_under_way'],
    data: transactionRecord,
    message: 'Release requested',
    handle: releaseRest,
  }),
];
