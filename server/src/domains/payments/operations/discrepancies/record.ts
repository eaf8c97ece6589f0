import type { Static } from 'typebox';
import type { EventType } from '../../../../core/event-types.ts';
import { type GenerateUuid, publicId } from '../../../../core/id.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { appendEvents, eventDraft } from '../../../webhooks/events/append-events.cte.ts';
import type { discrepancyRecord } from './schema.ts';
import type { DiscrepancyState, DiscrepancySubject } from './states.ts';

export type DiscrepancyRecord = Static<typeof discrepancyRecord>;

export interface DiscrepancyRow {
  tenant_id: number;
  id: string;
  livemode: boolean;
  kind: DiscrepancySubject;
  transaction_id: string;
  number: number | null;
  dispute_id: string | null;
  channel_id: number;
  state: DiscrepancyState;
  said: string | null;
  said_livemode: boolean | null;
  amount: number | null;
  currency: string | null;
  reference: string | null;
  look_ups: number;
  opened_at: string;
  closed_at: string | null;
  closed_by: number | null;
  close_note: string | null;
}

/** The columns of `DiscrepancyRow`, of the table with this alias. The mode of a discrepancy is that of its channel. */
export const discrepancyColumns = (d: string) => `${d}.tenant_id, ${d}.id,
    coalesce((select livemode from channel where channel.id = ${d}.channel_id), true) as livemode,
    ${d}.kind, ${d}.transaction_id, ${d}.number, ${d}.dispute_id, ${d}.channel_id, ${d}.state, ${d}.said,
    ${d}.said_livemode, ${d}.amount, ${d}.currency, ${d}.reference, ${d}.look_ups, ${d}.opened_at, ${d}.closed_at,
    ${d}.closed_by, ${d}.close_note`;

export function recordOf(row: DiscrepancyRow): DiscrepancyRecord {
  return {
    id: publicId('dcp', row.id),
    livemode: row.livemode,
    kind: row.kind,
    transactionId: publicId('txn', row.transaction_id),
    operation: row.number,
    disputeId: row.dispute_id === null ? null : publicId('dsp', row.dispute_id),
    channelId: row.channel_id,
    state: row.state,
    reported: row.said,
    reportedLivemode: row.said_livemode,
    amount: row.amount,
    currency: row.currency,
    reference: row.reference,
    lookUps: row.look_ups,
    openedTime: row.opened_at,
    closedTime: row.closed_at,
    closedBy: row.closed_by,
    note: row.close_note,
  };
}

/** Appends an event about a discrepancy, in the transaction that opens or closes it. */
export async function appendDiscrepancyEvent(
  transaction: Queryable,
  type: Extract<EventType, `discrepancy.${string}`>,
  row: DiscrepancyRow,
  generateUuid: GenerateUuid,
): Promise<void> {
  const { tenant_id: tenantId, livemode } = row;
  const object = recordOf(row);
  await appendEvents(transaction, [
    eventDraft(type, { tenantId, livemode, objectId: object.id, object }, generateUuid()),
  ]);
}
