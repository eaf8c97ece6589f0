import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../../../tests/support/postgres/database.ts';
import { movableClock, type TestDeliveries, testDeliveries } from '../../../../../tests/support/webhooks/deliveries.ts';
import { minuteMs, secondMs } from '../../../../core/clock.ts';

let deliveries: TestDeliveries;

beforeAll(async () => {
  deliveries = await testDeliveries();
});

afterEach(() => deliveries.clean());
afterAll(() => deliveries.close());

interface AttemptedDelivery {
  url: string;
  state: string;
  waits_ms: number;
  outcomes: string[];
}

test('every kind of failure is recorded with its outcome and retried', async () => {
  const time = movableClock();
  const { receiver } = await deliveries.subscribe((received, request, response) => {
    if (received.path.startsWith('/reset')) request.socket.resetAndDestroy();
    else if (received.path.startsWith('/protocol')) request.socket.end('220 mail.example ESMTP\r\n');
    else if (received.path.startsWith('/http_status')) response.writeHead(302, { location: '/' }).end();
    else if (received.path.startsWith('/timeout')) return;
    else response.writeHead(200).end();
  });
  const gone = await deliveries.startReceiver(200);
  await gone.close();
  const origins: Record<string, string> = {
    refused: gone.url,
    dns: 'http://no-such-host.invalid',
    tls: receiver.url.replace('http:', 'https:'),
    ...Object.fromEntries(
      ['reset', 'protocol', 'http_status', 'timeout'].map((outcome) => [outcome, `${receiver.url}/${outcome}`]),
    ),
  };
  for (const origin of Object.values(origins)) await deliveries.registerEndpoint(origin);
  deliveries.startWorker({ clock: time.clock, timeoutMs: secondMs });
  await deliveries.appendEvent();

  const untilAttempted = (attempts: number) =>
    eventually('each has been attempted', async () => {
      const rows = await attemptedDeliveries(time.clock());
      return (
        rows.length === Object.keys(origins).length && rows.every((row) => row.outcomes.length === attempts) && rows
      );
    });
  const expected = (waitMs: number) =>
    Object.entries(origins).map(([outcome, origin]) => [
      outcome,
      { url: expect.stringContaining(origin), state: 'OPEN', waits_ms: waitMs },
    ]);
  for (const [retries, waitMs] of [minuteMs, 5 * minuteMs].entries()) {
    const rows = await untilAttempted(retries + 1);
    const byOutcome = rows.map(({ outcomes, ...row }) => [outcomes.at(-1), row]);
    expect(Object.fromEntries(byOutcome)).toEqual(Object.fromEntries(expected(waitMs)));
    time.moveBy(waitMs);
  }
});

function attemptedDeliveries(nowMs: number): Promise<AttemptedDelivery[]> {
  return deliveries.db.query(
    `select endpoint.url, delivery.state,
            (extract(epoch from delivery.due_at) * 1000 - $1::float8)::float8 as waits_ms,
            (select coalesce(array_agg(outcome order by number), '{}') from delivery_attempt attempt
              where attempt.tenant_id = delivery.tenant_id and attempt.delivery_id = delivery.id) as outcomes
       from delivery join webhook_endpoint endpoint on endpoint.id = delivery.endpoint_id
      where delivery.state <> 'SUCCEEDED'`,
    [nowMs],
  );
}
