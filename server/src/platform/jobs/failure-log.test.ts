import { expect, test } from 'vitest';
import { databaseUnavailable } from '../postgres/connection/failures.ts';
import { failureLog } from './failure-log.ts';

test('activities that wait for the database are one line without a stack, and one when the last goes on', () => {
  const lines: unknown[] = [];
  const log = {
    warn: (facts: object, message: string) => lines.push([facts, message]),
    info: (message: string) => lines.push(message),
  };
  const [first, second] = ['Settling callbacks', 'Mailing users'].map((activity) => failureLog(log, activity));
  const away = databaseUnavailable(new Error('timeout expired'));
  first?.onError(away);
  second?.onError(away);
  first?.onRecovered();
  second?.onRecovered();
  expect(lines).toEqual([
    [{ reason: 'timeout expired' }, 'Background work waits for the database; retrying'],
    'Background work goes on',
  ]);
  const defect = new Error('a defect');
  first?.onError(defect);
  first?.onRecovered();
  expect(lines.slice(2)).toEqual([
    [{ error: defect }, 'Settling callbacks is failing; retrying'],
    'Settling callbacks works again',
  ]);
});
