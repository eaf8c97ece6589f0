import type { Check } from '../../../platform/postgres/check.ts';

export const deliveryChecks: readonly Check[] = [
  {
    claim: 'Every event has the deliveries that were enqueued with it, until they are swept',
    // Later deliveries are replays, either of a delivery or for an endpoint that had none. Deliveries are swept by
    // their ids, which begin with the time of the event.
    offenders: `
      with made as (
        select tenant_id, event_id as id, created_at, count(*) as count
          from delivery
         where replay_of is null
         group by 1, 2, 3
      )
      select 'evt_' || replace(id::text, '-', '') as offender
        from event
        left join made using (tenant_id, id, created_at)
       -- What was swept is asked of the others only.
       where case when event.deliveries <> coalesce(made.count, 0)
                  then not exists (
                    select from delivery_sweep where left(event.id::text, 13) <= left(before_id::text, 13)
                  ) end`,
  },
  {
    claim: 'Every delivery belongs to an event and to an endpoint of its own tenant',
    offenders: `
      select 'dlv_' || replace(delivery.id::text, '-', '') as offender
        from delivery
        left join event on event.tenant_id = delivery.tenant_id and event.id = delivery.event_id
        left join webhook_endpoint endpoint
          on endpoint.tenant_id = delivery.tenant_id and endpoint.id = delivery.endpoint_id
       where event.id is null or endpoint.id is null`,
  },
  {
    claim: 'Every delivery that succeeded has an attempt that was answered so, until attempts are swept',
    offenders: `
      select 'dlv_' || replace(d.id::text, '-', '') as offender
        from delivery d
        join delivery_sweep on d.finished_at > attempts_complete_after
        left join delivery_attempt a on a.tenant_id = d.tenant_id and a.delivery_id = d.id and a.number = d.attempts
         and a.outcome = 'ok'
       where d.state = 'SUCCEEDED' and a.delivery_id is null`,
  },
];
