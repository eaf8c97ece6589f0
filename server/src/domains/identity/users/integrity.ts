import type { Check } from '../../../platform/postgres/check.ts';

/** Matches a change of a field in the body of an entry, which may not be JSON if it was tampered with. */
const changeOf = (field: string, value: string) =>
  String.raw`'"${field}":\{(?:"before":${value},)?"after":(${value})\}'`;

const userType = changeOf('userType', '(?:"[A-Z_]*")');
const roles = changeOf('roles', String.raw`(?:\[[^\]]*\])`);

/**
 * For each user what the latest entry that names the field has given. Users whose entries have expired are not found.
 */
const given = (pattern: string) => `
  select distinct on (record_id) record_id, substring(body from ${pattern}) as value
    from audit_entry
   where record_type = 'user' and action in ('user.create', 'user.update')
       and substring(body from ${pattern}) is not null
   order by record_id, seq desc nulls first, id desc`;

export const userChecks: readonly Check[] = [
  {
    claim: 'Every user has the type and the roles that the audit log says it was last given',
    offenders: `
      with given_type as (${given(userType)}), given_roles as (${given(roles)})
      select 'user ' || u.id as offender
        from app_user u
        left join given_type on given_type.record_id = u.id::text
        left join given_roles on given_roles.record_id = u.id::text
       where to_json(u.user_type)::text <> given_type.value or array_to_json(u.roles)::text <> given_roles.value`,
  },
];
