import type { Check } from '../../../platform/postgres/check.ts';

/** Claims about customers and their events. */
export const customerChecks: readonly Check[] = [
  {
    claim: 'Every customer has exactly one customer.created event, and every event of a customer names one',
    // Customers from before these events existed have none (`events_complete`).
    offenders: `
      with event_count as (
        select tenant_id, object_id, count(*) filter (where type = 'customer.created') as created
          from event
         where type like 'customer.%'
         group by 1, 2
      ), known as (
        select tenant_id, 'cus_' || id as object_id, events_complete::int as created from customer
      )
      select object_id as offender
        from event_count
        full join known using (tenant_id, object_id)
       where known.created is null or coalesce(event_count.created, 0) <> known.created`,
  },
];
