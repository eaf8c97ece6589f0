import { defineModule } from '../../../platform/module.ts';
import { sealedColumn } from '../../../platform/postgres/sealed-column-statements.ts';
import { secondFactorChecks } from './integrity.ts';
import { type SecondFactorDeps, secondFactorRoutes } from './routes.ts';
import {
  beginInput,
  begunFactor,
  codeInput,
  factorStatus,
  recoveryCodes,
  removeFactorInput,
  secondLoginInput,
  steppedUp,
} from './schema.ts';
import { secretPlace } from './verify.ts';

/** Codes of an authenticator app besides the password: at login, and again for what is dangerous. */
export const secondFactor = defineModule({
  name: 'second-factor',
  tables: ['second_factor', 'recovery_code'],
  reference: [
    { name: 'Second factor', description: 'Codes of an authenticator app at login, and again for what is dangerous.' },
  ],
  schemas: {
    SecondFactorLoginInput: secondLoginInput,
    SecondFactorCodeInput: codeInput,
    SecondFactorBeginInput: beginInput,
    SecondFactorRevokeInput: removeFactorInput,
    SecondFactorEnrolment: begunFactor,
    RecoveryCodes: recoveryCodes,
    StepUp: steppedUp,
    SecondFactor: factorStatus,
  },
  sealed: [
    sealedColumn<{ user_id: number }>({
      noun: 'second factors',
      table: 'second_factor',
      column: 'secret_sealed',
      key: [['user_id', 'bigint']],
      place: ({ user_id }) => secretPlace(user_id),
    }),
  ],
  routes: (context: SecondFactorDeps) => secondFactorRoutes(context),
  integrity: secondFactorChecks,
});
