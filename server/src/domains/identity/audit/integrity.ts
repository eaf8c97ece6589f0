import type { Check, Finding } from '../../../platform/postgres/check.ts';
import { linkTime } from './chain-statements.ts';

/**
 * Where the beginning of a chain was removed, the chain continues from the last `audit.expire` entry. Its fields are
 * read with regular expressions, because a body that was tampered with may not be JSON.
 */
const anchors = `
  select distinct on (tenant_id) tenant_id,
         substring(body from '"throughSeq":([0-9]{1,15})[,}]')::bigint as seq,
         decode(substring(body from '"hash":"([0-9a-f]{64})"'), 'hex') as hash
    from audit_entry
   where action = 'audit.expire'
   order by tenant_id, id desc`;

const genesis = `decode(repeat('00', 32), 'hex')`;

const idOnWire = `replace(id::text, '-', '')`;
const tenantJson = `case tenant_id when 0 then 'null' else '"' || tenant_id || '"' end`;
const beforeTime = `'{"id":"aud_' || ${idOnWire} || '","tenantId":' || ${tenantJson} || ',"time":"'`;
/** `2026-01-31T09:30:00.500Z` */
const timeLength = 24;
const afterTime = `'","action":' || to_json(action) || ',"recordType":' || to_json(record_type)
         || ',"recordId":' || coalesce(to_json(record_id)::text, 'null') || ',"userId":' || coalesce(user_id::text,
             'null') || ','`;

export const auditChecks: readonly Check[] = [
  {
    claim: 'The audit log of every tenant is an unbroken chain: no entry was changed, removed or reordered',
    offenders: `
      with anchor as (${anchors}), linked as (
        select tenant_id, id, seq, hash, body, chained_at,
               lag(seq) over chain as previous_seq, lag(hash) over chain as previous_hash,
               max(chained_at) over (chain rows between unbounded preceding and 1 preceding) as previous_at
          from audit_entry
         where seq is not null
        window chain as (partition by tenant_id order by seq)
      ), expected as (
        select linked.*,
               case when previous_seq is not null then previous_seq + 1 else coalesce(anchor.seq, 0) + 1 end
                   as next_seq,
               case when previous_seq is not null then previous_hash else coalesce(anchor.hash, ${genesis}) end
                   as before
          from linked left join anchor using (tenant_id)
      )
      select format('tenant %s entry %s', tenant_id, seq) as offender
        from expected
       where seq <> next_seq or chained_at < previous_at
          or hash is distinct from sha256(before || convert_to(coalesce(${linkTime('chained_at')}, '') || body, 'UTF8'))
       order by tenant_id, seq`,
  },
  {
    claim: 'The columns of every audit entry repeat what its body says',
    offenders: `
      select format('tenant %s entry %s', tenant_id, coalesce(seq::text, 'aud_' || ${idOnWire})) as offender
        from audit_entry
       where not (starts_with(body, ${beforeTime})
                  and starts_with(substr(body, length(${beforeTime}) + ${timeLength} + 1), ${afterTime}))`,
  },
  {
    claim: 'Every audit chain ends with the entry that was chained last',
    offenders: `
      with anchor as (${anchors}), last as (
        select distinct on (tenant_id) tenant_id, seq, hash
          from audit_entry where seq is not null order by tenant_id, seq desc
      )
      select format('tenant %s after entry %s', tenant_id, coalesce(last.seq, anchor.seq, 0)) as offender
        from audit_chain chain
        full join last using (tenant_id)
        left join anchor using (tenant_id)
       where chain.seq is distinct from coalesce(last.seq, anchor.seq, 0)
          or chain.hash is distinct from coalesce(last.hash, anchor.hash, ${genesis})`,
  },
  {
    claim:
      'Every audit log begins with the creation of its tenant, after expired entries, ' +
      'or where an entry notes its beginning',
    // The entry was written by a migration: about the first entry that was there, or before any.
    offenders: `
      with anchor as (${anchors}), first as (
        select distinct on (tenant_id) tenant_id, id, seq, action, record_id
          from audit_entry where seq is not null order by tenant_id, seq
      )
      select format('tenant %s entry %s', tenant_id, first.seq) as offender
        from first
        left join anchor using (tenant_id)
       where anchor.seq is null and not (first.action = 'tenant.create' and first.record_id = first.tenant_id::text)
         and not exists (
           select from audit_entry noted
            where noted.tenant_id = first.tenant_id and noted.action = 'audit.begin' and noted.id >= first.id
              and substring(noted.body from '"firstId":"?([^"}]*)') in ('null',
                  'aud_' || replace(first.id::text, '-', '')))`,
  },
];

/** An entry's own times: that of its id, and the text in its body, which may be no time if it was tampered with. */
const timeOfId = `to_timestamp(('x' || substr(${idOnWire}, 1, 12))::bit(48)::bigint / 1000.0)`;
const timeInBody = `substr(body, length(${beforeTime}) + 1, ${timeLength}) collate "C"`;

export const auditFindings: readonly Finding[] = [
  {
    finding:
      'The entry of the audit log was chained more than an hour after its own time: it waited, or was inserted later',
    offenders: `
      select format('tenant %s entry %s', tenant_id, seq) as offender
        from audit_entry
       where chained_at - ${timeOfId} > interval '1 hour'
           or ${timeInBody} < ${linkTime("(chained_at - interval '1 hour')")}
       order by tenant_id, seq`,
  },
  {
    finding:
      'The entry of the audit log has no time of chaining, although earlier ones have: ' +
      'an older release chained it, or somebody else',
    offenders: `
      select format('tenant %s entry %s', tenant_id, seq) as offender
        from (
          select tenant_id, seq, chained_at,
                 max(chained_at) over (partition by tenant_id order by seq rows between unbounded preceding
                     and 1 preceding)
                   as previous_at
            from audit_entry where seq is not null
        ) as linked
       where chained_at is null and previous_at is not null
       order by tenant_id, seq`,
  },
];
