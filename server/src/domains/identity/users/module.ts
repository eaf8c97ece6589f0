import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { FailureLimiter } from '../../../platform/http/limits/rate-limiter.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { deleteInBatches } from '../../../platform/postgres/delete-in-batches.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { integer } from '../../../platform/settings/kinds.ts';
import type { UserMailComposers } from '../mails/user-mails.ts';
import type { LoginFailures } from '../sessions/login-failures.ts';
import type { RenewPasswordHash } from '../sessions/verify-password.ts';
import { userChecks } from './integrity.ts';
import { invitationMail } from './invitation-mail.ts';
import { ResetMailer } from './reset-mailer.ts';
import { userRoutes } from './routes.ts';
import {
  changePasswordInput,
  currentUser,
  forgotPasswordInput,
  resetPasswordInput,
  userInput,
  userRecord,
} from './schema.ts';
import { deleteExpiredResets, renewPasswordHash } from './statements.ts';

const settings = {
  'app.password.min-length': setting(integer(6, 128), {
    default: '6',
    description: 'Minimum length of a new password, in characters.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>> & {
  passwords: Passwords;
  loginFailures: LoginFailures;
  makeFailureLimiter: (what: string) => FailureLimiter;
  userMailComposers: UserMailComposers;
};

/** User accounts and their passwords. */
export const users = defineModule({
  name: 'users',
  tables: ['app_user', 'login_name', 'account_name', 'password_reset'],
  settings,
  integrity: userChecks,
  auditActions: {
    'user.create': 'A user was created.',
    'user.update': 'A user was changed, enabled or disabled.',
    'user.request_password_reset': 'A password reset was requested and its token mailed.',
    'user.reset_password': 'A password was reset with a mailed token.',
    'user.change_password': 'A user changed their own password.',
  },
  resources: { 'current user': currentUser, user: userRecord },
  schemas: {
    ForgotPasswordInput: forgotPasswordInput,
    ResetPasswordInput: resetPasswordInput,
    ChangePasswordInput: changePasswordInput,
    CurrentUser: currentUser,
    UserModifyInput: userInput,
    User: userRecord,
  },
  provide: (needs: Needs) => {
    const { database, workerDatabase, clock, publicUrl, userMailComposers } = needs;
    userMailComposers.register('INVITATION', (queued) =>
      invitationMail(queued, { database: workerDatabase, clock, publicUrl }),
    );
    return {
      renewPasswordHash: async (...values: Parameters<RenewPasswordHash>) =>
        (await database.run(renewPasswordHash, values)).length > 0,
    };
  },
  routes: (context: Needs & { renewPasswordHash: RenewPasswordHash }) => {
    const resetMailer = new ResetMailer(context);
    context.lifecycle.add('reset mails', () => resetMailer.settled());
    const passwordMinLength = context.settings['app.password.min-length'];
    return userRoutes({
      ...context,
      resetMailer,
      passwordMinLength,
      resetRequests: context.makeFailureLimiter('requests for reset mails'),
      resetFailures: context.makeFailureLimiter('failed password resets'),
    });
  },
  retention: ({ database, mailer }: Needs) => [
    { name: 'password resets', sweep: (nowMs) => deleteInBatches(database, deleteExpiredResets, [new Date(nowMs)]) },
    { name: 'stored mail', sweep: (nowMs) => mailer.removeExpired(nowMs) },
  ],
});
