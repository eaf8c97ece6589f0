import type { Check } from '../../../platform/postgres/check.ts';

export const keyChecks: readonly Check[] = [
  {
    claim:
      'Every developer key has the scope that the audit log says it was generated with, or that of the key it replaces',
    // Keys whose entries have expired are not compared.
    offenders: `
      with generated as (
        select record_id, substring(body from '"scope":\\{"after":("[^"]*")\\}') as scope
          from audit_entry where action = 'key.create'
      ), replaced as (
        select record_id, substring(body from '"replacedBy":([0-9]+)') as successor_id
          from audit_entry where action = 'key.rotate'
      )
      select 'key ' || k.id as offender
        from developer_key k
        join generated on generated.record_id = k.id::text
       where to_json(k.scope)::text <> generated.scope
       union
      select 'key ' || k.id
        from developer_key k
        join replaced on replaced.successor_id = k.id::text
        join developer_key old on old.id::text = replaced.record_id
       where k.scope <> old.scope`,
  },
];
