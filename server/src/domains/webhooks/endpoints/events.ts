import { uuidTimeMs } from '../../../core/id.ts';
import { type EventDraft, eventDraft } from '../events/append-events.cte.ts';
import { recordOf } from './list.ts';
import type { EndpointRow } from './statements.ts';

/** The event for the tenant's other endpoints: this one was disabled and receives nothing more. */
export function disabledEvent(row: EndpointRow, id: string): EventDraft {
  const object = recordOf(row, uuidTimeMs(id));
  const subject = { tenantId: row.tenant_id, livemode: row.livemode, objectId: `whe_${row.id}`, object };
  return eventDraft('webhook.disabled', subject, id);
}
