import { Passwords } from '../../../platform/crypto/passwords.ts';
import { Tokens } from '../../../platform/crypto/tokens.ts';
import { defineModule } from '../../../platform/module.ts';
import type { NodeWith } from '../../../platform/node.ts';
import { type SettingsOf, setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, integer } from '../../../platform/settings/kinds.ts';
import { ForgottenPasswords } from './forgot-password.ts';
import { LoginFailures } from './login-failures.ts';
import { userRoutes } from './routes.ts';
import { currentUser, loginResult, userRecord } from './schema.ts';
import { Sessions } from './sessions.ts';
import { sweepExpired } from './sweep.ts';

const settings = {
  'app.jwt.access-token-expire': setting(durationOfAtLeast(1000, '1s'), {
    default: '24h',
    description: 'How long an access token is valid.',
  }),
  'app.jwt.refresh-token-expire': setting(durationOfAtLeast(1000, '1s'), {
    default: '7d',
    description: 'How long a session lasts at most.',
  }),
  'app.password.min-length': setting(integer(6, 128), {
    default: '6',
    description: 'The shortest password that can be set.',
  }),
};

type Needs = NodeWith<SettingsOf<typeof settings>>;
type Provided = ReturnType<typeof provide>;

/** Users, their sessions and their passwords. */
export const users = defineModule({
  name: 'users',
  tables: ['app_user', 'login_name', 'session', 'password_reset'],
  settings,
  reference: [{ name: 'Users', description: 'Sign-in, sessions, passwords and user accounts.' }],
  resources: { 'login result': loginResult, 'current user': currentUser, user: userRecord },
  provide,
  routes: (context: Needs & Provided) => userRoutes(dependencies(context)),
  retention: ({ database, clock }: Needs) => [{ name: 'sessions', sweep: () => sweepExpired(database, clock) }],
});

function provide({ signingKeys, clock, database, notifications, passwordCost }: Needs) {
  const tokens = new Tokens({ keys: signingKeys, issuer: 'florin', audience: 'florin', clock });
  return {
    tokens,
    sessions: new Sessions({ database, notifications, tokens, clock }),
    passwords: new Passwords(passwordCost && { cost: passwordCost }),
  };
}

function dependencies(context: Needs & Provided) {
  const { settings, clock, lifecycle, publicUrl, deploymentMode } = context;
  const deps = {
    ...context,
    failures: new LoginFailures({ clock }),
    settings: {
      accessTokenSeconds: settings['app.jwt.access-token-expire'] / 1000,
      refreshTokenSeconds: settings['app.jwt.refresh-token-expire'] / 1000,
      passwordMinLength: settings['app.password.min-length'],
      publicUrl,
      deploymentMode,
    },
  };
  const forgottenPasswords = new ForgottenPasswords(deps);
  lifecycle.add('mail', () => forgottenPasswords.settled());
  return { ...deps, forgottenPasswords };
}
