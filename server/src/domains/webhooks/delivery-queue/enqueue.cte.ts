import type { Topic } from '../../../platform/postgres/statement.ts';

/** Deliveries are due. */
export const deliveriesDue: Topic = 'deliveries';

/**
 * SQL for the id of a new delivery. Its first 48 bits are those of its event's id: the index grows at one end, and
 * the condition below finds the deliveries of an event without a further index.
 */
export const deliveryIdFrom = (eventId: string) =>
  `overlay(gen_random_uuid()::text placing left(${eventId}::text, 13) from 1 for 13)::uuid`;

/** SQL condition: the delivery belongs to an event between the two, or to one of the same milliseconds. */
export const belongsToEvents = (deliveryId: string, firstEventId: string, lastEventId: string) =>
  `${deliveryId} between (left(${firstEventId}::text, 13) || '-0000-0000-000000000000')::uuid
       and (left(${lastEventId}::text, 13) || '-ffff-ffff-ffffffffffff')::uuid`;

/**
 * SQL for the due time of a new delivery: the time of its event, but never later than now. Event times can come from
 * ids, which never run backwards: after the clock was set back, they are ahead of it.
 */
const dueAtOf = (createdAt: string) => `least(${createdAt}, now())`;

/** SQL of the columns of new deliveries. */
interface NewDelivery {
  tenantId: string;
  eventId: string;
  endpointId: string;
  createdAt: string;
  /** The first delivery of which these are replays. */
  replayOf?: string;
}

/** SQL that enqueues a delivery for each row of `from`. A further clause may follow, such as `returning id`. */
export function enqueueDeliveries(
  { tenantId, eventId, endpointId, createdAt, replayOf = 'null::uuid' }: NewDelivery,
  from: string,
): string {
  return `insert into delivery (tenant_id, id, event_id, endpoint_id, due_at, created_at, replay_of)
    select ${tenantId}, ${deliveryIdFrom(eventId)}, ${eventId}, ${endpointId}, ${dueAtOf(createdAt)}, ${createdAt},
        ${replayOf}
      from ${from}`;
}
