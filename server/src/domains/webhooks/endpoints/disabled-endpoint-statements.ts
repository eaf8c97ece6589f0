import { statement } from '../../../platform/postgres/statement.ts';

/** Open deliveries are counted up to this number. */
export const maxCountedDeliveries = 10_000;

export interface DisabledFactsRow {
  /** E-mail addresses of the administrators. */
  addresses: string[];
  first_failure_at: string | null;
  registered_at: string | null;
  /** The oldest event with an open delivery to the endpoint. */
  oldest_event_id: string | null;
  /** Open deliveries that are not in flight. */
  waiting: number;
}

/**
 * Facts for the mail about a disabled endpoint; at most `maxCountedDeliveries` are read. Values: tenant, endpoint, user type
 * of the administrators, now in ms.
 */
export const findDisabledFacts = statement<DisabledFactsRow>(
  'webhooks.find_disabled_facts',
  `with open as materialized (
     select event_id, leased_until from delivery
      where state = 'OPEN' and endpoint_id = $2 order by due_at limit ${maxCountedDeliveries}
   )
   select array(select email from app_user where tenant_id = $1 and user_type = $3 and state order by id) as addresses,
          (select first_failure_at from webhook_endpoint where id = $2) as first_failure_at,
          (select created_at from webhook_endpoint where id = $2) as registered_at,
          (select min(event_id::text) from open) as oldest_event_id,
          (select count(*) from open
            where leased_until is null or leased_until <= to_timestamp($4::float8 / 1000)) as waiting`,
);
