import type { Static } from 'typebox';
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
    hasPaymentMethod: row.has_payment_method,
    clockId: row.clock_id,
    createdTime: row.created_at,
    updatedTime: row.updated_at ?? row.created_at,
  };
}
