import { statement, type Topic } from '../../../platform/postgres/statement.ts';
import type { MethodRow } from './record.ts';
import { methodColumns } from './statements.ts';

/** Cards are about to expire, or have. */
export const expiriesDue: Topic = 'expiries';

/** For the due-work poller: whether any card is due. Value: now in ms. */
export const expiryDue = `select from payment_method where expiry_due_at <= to_timestamp($1::float8 / 1000)`;

/** Values: now in ms, the most rows. */
export const findDueExpiries = statement<MethodRow>(
  'methods.find_due_expiries',
  `select ${methodColumns} from payment_method m
    where m.expiry_due_at <= to_timestamp($1::float8 / 1000) order by m.expiry_due_at limit $2`,
);
