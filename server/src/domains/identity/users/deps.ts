import type { Clock } from '../../../core/clock.ts';
import type { Passwords } from '../../../platform/crypto/passwords.ts';
import type { Tokens } from '../../../platform/crypto/tokens.ts';
import type { Mailer } from '../../../platform/mail/mailer.ts';
import type { Database } from '../../../platform/postgres/database.ts';
import type { Notifications } from '../../../platform/postgres/notifications.ts';
import type { LoginFailures } from './login-failures.ts';

export interface UserSettings {
  /** `app.jwt.access-token-expire` */
  accessTokenSeconds: number;
  /** `app.jwt.refresh-token-expire`: also how long a session lives at most. */
  refreshTokenSeconds: number;
  /** `app.password.min-length`, in characters. */
  passwordMinLength: number;
  /** `app.public-url`, without a slash at its end: what links in mails begin with. */
  publicUrl: string;
  /** `app.deployment-mode`: a label that login shows. */
  deploymentMode: string;
}

/** What the verbs on users need. */
export interface UserDeps {
  database: Database;
  notifications: Notifications;
  passwords: Passwords;
  tokens: Tokens;
  mailer: Mailer;
  failures: LoginFailures;
  clock: Clock;
  settings: UserSettings;
  /** Told of failures that no caller hears of, such as a mail that could not be sent. */
  logError: (error: unknown, message: string) => void;
}
