import { statement } from '../../../platform/postgres/statement.ts';

/** Records a declined charge. Values: tenant, method, payment, number of its operation, the time (ms). */
export const insertDecline = statement(
  'methods.insert_decline',
  `insert into payment_method_decline (tenant_id, method_id, transaction_id, number, declined_at)
   values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
   on conflict do nothing`,
);

/**
 * Serializes decisions about charges of payment methods until the transaction ends: a charge that another one of them
 * has begun is counted. Values: tenants, ids.
 */
export const lockAttempts = statement(
  'methods.lock_attempts',
  `select pg_advisory_xact_lock(hashtextextended('payment_method/' || id, 0))
     from (select distinct id from unnest($1::bigint[], $2::uuid[]) as wanted (tenant_id, id) order by id) as methods`,
);

/** What caps of networks need of a payment method. */
export interface AttemptsOfMethod {
  tenant_id: number;
  id: string;
  brand: string;
  /** In ms. */
  declined: number[];
  /** Charges that have neither ended nor been authorized. */
  under_way: number;
}

/**
 * The attempts with methods of brands with a cap. Values: tenants, ids, the time since when declines count (ms), brands
 * in lower case.
 */
export const findAttempts = statement<AttemptsOfMethod>(
  'methods.find_attempts',
  `select m.tenant_id, m.id, m.brand, d.declined, charge.under_way
     from unnest($1::bigint[], $2::uuid[]) as wanted (tenant_id, id)
     join payment_method m on m.tenant_id = wanted.tenant_id and m.id = wanted.id and lower(m.brand) = any ($4::text[])
    cross join lateral (
      select coalesce(array_agg(extract(epoch from declined_at)::float8 * 1000), '{}') as declined
        from payment_method_decline
       where tenant_id = m.tenant_id and method_id = m.id and declined_at > to_timestamp($3::float8 / 1000)
    ) as d
    cross join lateral (
      select count(*)::int as under_way from transaction
       where tenant_id = m.tenant_id and method_id = m.id and status in ('PENDING', 'PROCESSING')
         and amount_capturable is null
    ) as charge`,
);

/** Values: the time before which they are deleted (ms), limit. */
export const sweepDeclines = statement<{ number: number }>(
  'methods.sweep_declines',
  `delete from payment_method_decline
    where (tenant_id, method_id, transaction_id, number) in (
      select tenant_id, method_id, transaction_id, number from payment_method_decline
       where declined_at < to_timestamp($1::float8 / 1000) order by declined_at limit $2)
   returning number`,
);
