import { statement } from '../../../platform/postgres/statement.ts';
import type { ChainRow } from './chain-statements.ts';

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
