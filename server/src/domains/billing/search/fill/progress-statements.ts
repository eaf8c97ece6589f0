import { statement } from '../../../../platform/postgres/statement.ts';
import type { SearchKind } from '../words.ts';

/** The kinds in the order in which records from before a tenant's first event are read. */
export const refillOrder = ['customer', 'subscription', 'invoice', 'payment'] as const satisfies readonly SearchKind[];

export interface ProgressRow {
  tenant_id: number;
  event_id: string;
  checked_event_id: string;
  audit_seq: number;
  refill_kind: SearchKind | null;
  refill_below: string | null;
}

/** Tenants that have none. Values: the least id of an event that is read. */
export const insertProgress = statement(
  'search.insert_progress',
  `insert into search_progress (tenant_id, event_id, checked_event_id, audit_seq, refill_kind)
   select tenant.id, $1::uuid, $1::uuid, coalesce((select seq from audit_chain where tenant_id = tenant.id), 0),
          '${refillOrder[0]}'
     from tenant
    where not exists (select from search_progress where tenant_id = tenant.id)
   on conflict do nothing`,
);

/** Tenants of which something is to be read. Values: the ids below which events are read, and looked at again. */
export const unfinishedTenants = statement<{ tenant_id: number }>(
  'search.unfinished_tenants',
  `select p.tenant_id
     from search_progress p
    where p.refill_kind is not null
       or exists (select from event where tenant_id = p.tenant_id and id > p.event_id and id < $1::uuid)
       or exists (select from event where tenant_id = p.tenant_id and id > p.checked_event_id and id < $2::uuid)
       or exists (select from audit_entry where tenant_id = p.tenant_id and seq > p.audit_seq)
       or exists (select from search_due where tenant_id = p.tenant_id)`,
);

/** Nobody else fills the entries of this tenant until the end of the transaction. Values: tenant. */
export const lockProgress = statement<ProgressRow>(
  'search.lock_progress',
  `select tenant_id, event_id, checked_event_id, audit_seq, refill_kind, refill_below
     from search_progress where tenant_id = $1 for update skip locked`,
);

/** Values: the columns of the table, in their order. */
export const saveProgress = statement(
  'search.save_progress',
  `update search_progress
      set event_id = $2, checked_event_id = $3, audit_seq = $4, refill_kind = $5, refill_below = $6
    where tenant_id = $1`,
);

/** After the clock was set back: events have lower ids than those that were read. Values: the least id of a new one. */
export const lowerProgress = statement(
  'search.lower_progress',
  `update search_progress
      set event_id = least(event_id, $1::uuid), checked_event_id = least(checked_event_id, $1::uuid)
    where event_id > $1::uuid or checked_event_id > $1::uuid`,
);
