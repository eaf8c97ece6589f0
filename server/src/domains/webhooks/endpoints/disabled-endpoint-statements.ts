import { platformTenant } from '../../../core/principal.ts';
import { statement } from '../../../platform/postgres/statement.ts';
import { queueUserMailsCte } from '../../identity/mails/queue-user-mails.cte.ts';
import type { DisabledReason } from './rules.ts';

/** Open deliveries are counted up to this number. */
export const maxCountedDeliveries = 10_000;

/** The users of a tenant who are mailed about its endpoints. */
const isAdministratorOf = (user: string, tenantId: string) =>
  `${user}.tenant_id = ${tenantId} and ${user}.state
     and ${user}.user_type = case ${tenantId} when ${platformTenant} then 'PLATFORM_ADMIN' else 'MERCHANT_ADMIN' end`;

/** CTEs that queue the mails about endpoints that a statement has disabled: the rows of `changed` without `state`. */
export const queueDisabledMailsCte = (changed: string, nowMs: string) => `addressed as (
     select 'WEBHOOK_DISABLED' as kind, w.tenant_id, u.id as user_id, w.id as record_id, ${nowMs}::float8 as now_ms
       from ${changed} w join app_user u on ${isAdministratorOf('u', 'w.tenant_id')}
      where not w.state
   ), ${queueUserMailsCte('addressed')}`;

export interface DisabledFactsRow {
  id: number;
  url: string;
  reason: DisabledReason;
  /** The address of the administrator. */
  email: string;
  first_failure_at: string | null;
  registered_at: string;
  /** The oldest event with an open delivery to the endpoint. */
  oldest_event_id: string | null;
  /** Open deliveries that are not in flight. */
  waiting: number;
}

/**
 * Facts for the mail about a disabled endpoint; at most `maxCountedDeliveries` are read. No row if there is no reason
 * to send it. Values: endpoint, administrator, now in ms.
 */
export const findDisabledFacts = statement<DisabledFactsRow>(
  'webhooks.find_disabled_facts',
  `with open as materialized (
     select event_id, leased_until from delivery
      where state = 'OPEN' and endpoint_id = $1 order by due_at limit ${maxCountedDeliveries}
   )
   select w.id, w.url, w.disabled_reason as reason, u.email, w.first_failure_at, w.created_at as registered_at,
          (select min(event_id::text) from open) as oldest_event_id,
          (select count(*) from open
            where leased_until is null or leased_until <= to_timestamp($3::float8 / 1000)) as waiting
     from webhook_endpoint w join app_user u on ${isAdministratorOf('u', 'w.tenant_id')}
    where w.id = $1 and u.id = $2 and not w.state and w.disabled_reason is not null and w.removed_at is null`,
);
