import { usualAccounts } from '../../config/strict.ts';
import type { DatabaseCheck } from '../check.ts';
import { listPasswordOnlyAdministrators, listUsersNamed } from '../statements.ts';
import { isInProduction, notInProduction } from './production.ts';

export const secondFactors: DatabaseCheck = {
  name: 'platform administrators have a second factor in production',
  checkDatabase: async ({ settings, database }) => {
    if (!isInProduction(settings)) return notInProduction;
    const names = (await database.run(listPasswordOnlyAdministrators)).map(({ user_name }) => user_name);
    if (names.length === 0) return undefined;
    return {
      what: `${names.join(', ')} can log in with a password alone, and may do everything`,
      cure:
        'enrol a second factor, and require it with APP_SECURITY_PLATFORM_SECOND_FACTOR=required, ' +
        'or of everybody with APP_SECURITY_PROFILE=strict',
    };
  },
};

export const accountNames: DatabaseCheck = {
  name: 'no account has a usual name in the strict profile',
  checkDatabase: async ({ settings, database }) => {
    if (settings['app.security.profile'] !== 'strict') return { skipped: 'app.security.profile is not strict' };
    const names = (await database.run(listUsersNamed, [usualAccounts])).map(({ user_name }) => user_name);
    if (names.length === 0) return undefined;
    return { what: `attackers try ${names.join(', ')} first`, cure: 'rename or disable the user in the console' };
  },
};
