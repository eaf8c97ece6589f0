import type { Static } from 'typebox';
import { publicId } from '../../../core/id.ts';
import { type EventDraft, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import type { customerRecord } from './schema.ts';
import type { CustomerRow } from './statements.ts';

export type CustomerRecord = Static<typeof customerRecord>;

export function recordOf(row: CustomerRow): CustomerRecord {
  return {
    id: row.id,
    livemode: row.livemode,
    name: row.name,
    email: row.email,
    phone: row.phone,
    address: row.address,
    externalId: row.external_id,
    metadata: row.metadata,
    defaultChannelId: row.default_channel_id,
    dueDays: row.due_days,
    defaultMethodId: row.default_method_id === null ? null : publicId('mtd', row.default_method_id),
    clockId: row.clock_id,
    createdTime: row.created_at,
    updatedTime: row.updated_at ?? row.created_at,
  };
}

/** An event about a customer. */
export function customerEvent(type: 'customer.created' | 'customer.updated', row: CustomerRow, id: string): EventDraft {
  const { tenant_id: tenantId, livemode } = row;
  return eventDraft(type, { tenantId, livemode, objectId: `cus_${row.id}`, object: recordOf(row) }, id);
}
