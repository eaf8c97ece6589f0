import { columns } from '../../../platform/postgres/columns.ts';
import { statement } from '../../../platform/postgres/statement.ts';

/** The last chained entry of a tenant; seq 0 before the first. */
export interface ChainRow {
  tenant_id: number;
  seq: number;
  hash: Buffer;
}

/** A chain to be continued. */
export interface LockedChain extends ChainRow {
  /** The time of its next link, as the hash covers it: now, but never before its last link. */
  link_time: string;
}

export interface UnchainedRow {
  tenant_id: number;
  id: string;
  body: string;
}

/** A link of the chain: the number, the hash and the time that an entry gets. */
export interface Link {
  tenantId: number;
  id: string;
  seq: number;
  hash: Buffer;
  time: string;
}

/** SQL for the time of a link as its hash covers it: `2026-01-31T09:30:00.500Z`. */
export const linkTime = (at: string) => `to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Creates the chains of tenants that have unchained entries and no chain yet. */
export const startChains = statement(
  'audit.start_chains',
  `insert into audit_chain (tenant_id)
   select distinct tenant_id from audit_entry where seq is null
   on conflict do nothing`,
);

/** Locks the chains of tenants with unchained entries, except those that another node has locked. Values: limit. */
export const lockChains = statement<LockedChain>(
  'audit.lock_chains',
  `select tenant_id, seq, hash,
          ${linkTime("greatest(chain.chained_at, date_trunc('milliseconds', clock_timestamp()))")} as link_time
     from audit_chain chain
    where exists (select from audit_entry entry where entry.tenant_id = chain.tenant_id and entry.seq is null)
    order by tenant_id limit $1
      for update skip locked`,
);

export const lockChain = statement<ChainRow>(
  'audit.lock_chain',
  'select tenant_id, seq, hash from audit_chain where tenant_id = $1 for update',
);

/** Committed entries that are not chained, in the order in which they will be. Values: tenants, limit. */
export const unchainedEntries = statement<UnchainedRow>(
  'audit.unchained',
  `select entry.tenant_id, entry.id, entry.body
     from unnest($1::bigint[]) with ordinality as locked (tenant_id, place)
    cross join lateral (
      select tenant_id, id, body from audit_entry
       where tenant_id = locked.tenant_id and seq is null
       order by id limit $2
    ) as entry
    order by locked.place, entry.id limit $2`,
);

export const linkColumns = columns<Link>([
  ['tenant_id', 'bigint', ({ tenantId }) => tenantId],
  ['id', 'uuid', ({ id }) => id],
  ['seq', 'bigint', ({ seq }) => seq],
  ['hash', 'bytea', ({ hash }) => hash],
  ['link_time', 'text', ({ time }) => time],
]);

export const chainEntries = statement<{ id: string }>(
  'audit.chain',
  `update audit_entry entry set seq = link.seq, hash = link.hash, chained_at = link.link_time::timestamptz
     from (${linkColumns.relation()}) as link
    where entry.tenant_id = link.tenant_id and entry.id = link.id and entry.seq is null
   returning entry.id`,
);

/** Values: as `chainEntries`, the last link of each tenant. */
export const advanceChains = statement(
  'audit.advance_chains',
  `update audit_chain chain set seq = link.seq, hash = link.hash, chained_at = link.link_time::timestamptz
     from (${linkColumns.relation()}) as link
    where chain.tenant_id = link.tenant_id`,
);

/** Tenants with an entry older than an id. Values: id. */
export const tenantsWithExpired = statement<{ tenant_id: number }>(
  'audit.tenants_with_expired',
  `select tenant_id from audit_chain chain
    where exists (select from audit_entry entry
                   where entry.tenant_id = chain.tenant_id and entry.id < $1::uuid and entry.seq is not null)
    order by tenant_id`,
);

/** The oldest links of a chain. Values: tenant, limit. */
export const oldestLinks = statement<{ id: string; seq: number; hash: Buffer }>(
  'audit.oldest_links',
  `select id, seq, hash from audit_entry where tenant_id = $1 and seq is not null order by seq limit $2`,
);

/** Values: tenant, number of the last entry to delete. */
export const deleteThrough = statement<{ id: string }>(
  'audit.delete_through',
  'delete from audit_entry where tenant_id = $1 and seq <= $2 returning id',
);

export const listHeads = statement<ChainRow>(
  'audit.list_heads',
  'select tenant_id, seq, hash from audit_chain where seq > 0 order by tenant_id',
);

/**
 * The hash of one entry, null if the entry is missing, and the numbers of the tenant's first and last entries. The hash
 * of the entry that expired last is taken from the `audit.expire` entry. Values: tenant, number.
 */
export const findLinks = statement<{ hash: Buffer | null; first: number; last: number }>(
  'audit.find_links',
  `select coalesce(
            (select hash from audit_entry where tenant_id = $1 and seq = $2),
            (select decode(substring(body from '"hash":"([0-9a-f]{64})"'), 'hex') from audit_entry
              where tenant_id = $1 and action = 'audit.expire'
                  and strpos(body, '"throughSeq":' || $2::bigint || ',') > 0
              limit 1)
          ) as hash,
          coalesce(min(seq), 0) as first, coalesce(max(seq), 0) as last
     from audit_entry where tenant_id = $1 and seq is not null`,
);
