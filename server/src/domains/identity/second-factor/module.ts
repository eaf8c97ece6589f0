import type { Module } from '../../../platform/module.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import type { IdentityApp } from '../app.ts';
import { secondFactorChecks } from './integrity.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { deleteExpiredPasskeyChallenges } from './passkeys/statements.ts';
import { secondFactorRoutes } from './routes.ts';
import { secretAssociatedData } from './verify.ts';

/** Codes of an authenticator app, and passkeys: at login, and again before dangerous operations. */
export const secondFactor = {
  name: 'second-factor',
  tables: ['second_factor', 'recovery_code', 'passkey', 'used_passkey_challenge'],
  auditActions: {
    'user.add_second_factor': 'A user enrolled a second factor.',
    'user.remove_second_factor': 'A second factor was removed, by its user or by an administrator.',
    'user.add_passkey': 'A user registered a passkey.',
    'user.update_passkey': 'A user renamed a passkey.',
    'user.remove_passkey': 'A user removed a passkey.',
    'user.regenerate_recovery_codes': 'A user replaced their own recovery codes, which were shown once.',
    'session.step_up': 'A user proved the second factor again, for an operation that needs it.',
  },
  errors: {
    code_wrong: 'invalid',
    passkey_wrong: 'invalid',
    second_factor_active: 'conflict',
    second_factor_absent: 'conflict',
    passkeys_unavailable: 'conflict',
    passkey_limit_reached: 'conflict',
  },
  reference: [
    {
      name: 'Second factor',
      description: 'Codes of an authenticator app: at login, and again before dangerous operations.',
    },
    {
      name: 'Passkeys',
      description: 'Key pairs on the devices of a user: as second factor, or instead of the password.',
    },
  ],
  sealed: [
    sealedColumn<{ user_id: number }>({
      noun: 'second factors',
      table: 'second_factor',
      column: 'secret_sealed',
      key: [['user_id', 'bigint']],
      associatedData: ({ user_id }) => secretAssociatedData(user_id),
    }),
  ],
  routes: [...secondFactorRoutes, ...passkeyRoutes],
  retention: ({ database }) => [
    {
      name: 'passkey challenges',
      sweep: (nowMs) => deleteInBatches(database, deleteExpiredPasskeyChallenges, [new Date(nowMs)]),
    },
  ],
  integrity: secondFactorChecks,
} satisfies Module<IdentityApp>;
