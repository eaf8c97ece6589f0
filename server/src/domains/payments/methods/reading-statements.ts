import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import type { MethodRow } from './record.ts';
import { methodColumns } from './statements.ts';

/** Methods are due to be read at their providers. */
export const readingsDue: Topic = 'method_readings';

/** For the due-work poller: whether any method is due. Value: now in ms. */
export const readingDue = `select from payment_method where read_due_at <= to_timestamp($1::float8 / 1000)`;

/** Due methods, which are due again later without a result. Values: now in ms, the most rows, when again in ms. */
export const claimReadings = statement<MethodRow>(
  'methods.claim_readings',
  `update payment_method m set read_due_at = to_timestamp($3::float8 / 1000)
    where (m.tenant_id, m.id) in (
      select tenant_id, id from payment_method
       where read_due_at <= to_timestamp($1::float8 / 1000) order by read_due_at limit $2 for update skip locked
    )
   returning ${methodColumns}`,
);

/** Has a customer's methods read now. Values: tenant, customer, channel, now in ms. */
export const readMethodsOfCustomer = statement<{ id: string }>(
  'methods.read_of_customer',
  `update payment_method set read_due_at = to_timestamp($4::float8 / 1000)
    where tenant_id = $1 and customer_id = $2 and channel_id = $3 and status in ('ACTIVE', 'EXPIRED')
   returning id`,
  { wakes: [{ topic: readingsDue, when: (rows) => rows.length > 0 }] },
);

/** Values: tenant, id, when it is read next in ms; null: not by itself. */
export const postponeReading = statement(
  'methods.postpone_reading',
  `update payment_method set read_due_at = to_timestamp($3::float8 / 1000)
    where tenant_id = $1 and id = $2 and read_due_at is not null`,
);
