import type { Static } from 'typebox';
import { tenantOnWire } from '../../../core/principal.ts';
import { captureAbilityOf } from './capture.ts';
import type { listedChannel } from './schema.ts';
import type { ChannelRow } from './statements.ts';

/** A channel without its callback address, which not everyone who sees the channel may see. */
export function recordOf(row: ChannelRow): Omit<Static<typeof listedChannel>, 'callbackUrl'> {
  return {
    id: row.id,
    name: row.name,
    code: row.code,
    type: row.type,
    currency: row.currencies.join(','),
    country: row.country,
    state: row.state,
    tenantId: tenantOnWire(row.tenant_id),
    provider: row.provider,
    livemode: row.livemode,
    fallbackChannelIds: row.fallback_channel_ids,
    statementDescriptor: row.statement_descriptor,
    capture: captureAbilityOf(row),
    createdTime: row.created_at,
  };
}
