import type { Check } from '../../../platform/postgres/check.ts';

export const secondFactorChecks: readonly Check[] = [
  {
    claim: 'A login needs a second step exactly if the user has confirmed an authenticator app or has a passkey',
    offenders: `
      select 'user ' || u.id as offender
        from app_user u left join second_factor f on f.user_id = u.id
       where u.has_second_factor <>
             (f.confirmed_at is not null or exists (select from passkey p where p.user_id = u.id))`,
  },
];
