import { statement } from '../../../platform/postgres/statement.ts';

/** Records a declined charge. Values: tenant, method, payment, number of its operation, the time (ms). */
export const insertDecline = statement(
  'methods.insert_decline',
  `insert into payment_method_decline (tenant_id, method_id, transaction_id, number, declined_at)
   values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000))
   on conflict do nothing`,
);

/** What caps of networks need of a payment method. */
export interface DeclinesOfMethod {
  tenant_id: number;
  id: string;
  brand: string | null;
  /** In ms. */
  declined: number[];
}

/** The methods that were declined since a time. Values: tenants, ids, the time (ms). */
export const findDeclines = statement<DeclinesOfMethod>(
  'methods.find_declines',
  `select m.tenant_id, m.id, m.brand, d.declined
     from unnest($1::bigint[], $2::uuid[]) as wanted (tenant_id, id)
     join payment_method m on m.tenant_id = wanted.tenant_id and m.id = wanted.id
    cross join lateral (
      select array_agg(extract(epoch from declined_at)::float8 * 1000) as declined from payment_method_decline
       where tenant_id = m.tenant_id and method_id = m.id and declined_at > to_timestamp($3::float8 / 1000)
    ) as d
    where d.declined is not null`,
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
