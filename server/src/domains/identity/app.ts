import type { Passwords } from '../../platform/crypto/passwords.ts';
import type { Tokens } from '../../platform/crypto/tokens.ts';
import type { FailureLimiter } from '../../platform/http/limits/rate-limiter.ts';
import type { Authenticate } from '../../platform/http/server/steps.ts';
import type { NodeWith } from '../../platform/node.ts';
import type { SettingsOf } from '../../platform/settings/declare.ts';
import type { RefusedRequests } from './audit/refused-requests.ts';
import type { settings as auditSettings } from './audit/settings.ts';
import type { CertificateWatch } from './console/certificate-watch.ts';
import type { KeyAuthenticator } from './developer-keys/key-authenticator.ts';
import type { settings as keySettings } from './developer-keys/settings.ts';
import type { WrongCodes } from './device-login/wrong-codes.ts';
import type { UserMailComposers } from './mails/user-mails.ts';
import type { RequestRecorder } from './requests/recorder.ts';
import type { settings as requestSettings } from './requests/settings.ts';
import type { PasskeyChallenges } from './second-factor/passkeys/challenges.ts';
import type { LoginFailures } from './sessions/login-failures.ts';
import type { SessionAuthenticator, TokenLifetimes } from './sessions/session-authenticator.ts';
import type { SessionCookie } from './sessions/session-cookie.ts';
import type { settings as sessionSettings } from './sessions/settings.ts';
import type { RegisteredTenantSellers } from './tenants/sellers.ts';
import type { ResetMailer } from './users/reset-mailer.ts';
import type { settings as userSettings } from './users/settings.ts';

/** The settings of these modules. */
export interface IdentitySettings
  extends SettingsOf<typeof auditSettings>,
    SettingsOf<typeof sessionSettings>,
    SettingsOf<typeof keySettings>,
    SettingsOf<typeof userSettings>,
    SettingsOf<typeof requestSettings> {}

/** What the handlers, workers and sweeps of the identity modules use: the node and their services (`services.ts`). */
export interface IdentityApp extends NodeWith<IdentitySettings> {
  refusedRequests: RefusedRequests;
  requestRecorder: RequestRecorder;

  /** Write the mails of `mails` by their kind. */
  userMailComposers: UserMailComposers;

  /** What tenants are to their payers: billing registers itself here. */
  tenantSellers: RegisteredTenantSellers;

  /** Authenticates a request by session or key. */
  authenticate: Authenticate;
  keys: KeyAuthenticator;
  sessions: SessionAuthenticator;
  tokens: Tokens;
  sessionCookie: SessionCookie;
  certificate: CertificateWatch;
  lifetimes: TokenLifetimes;
  /** `app.security.profile` is `strict`. */
  isStrict: boolean;
  /** `app.security.step-up-lifetime`. */
  stepUpMs: number;
  /** Of one user, including revoked ones: `app.developer-key.max-per-user`. */
  maxKeys: number;

  passwords: Passwords;
  /** Replaces a user's hash by a new one of the same password. Returns false if the hash has changed meanwhile. */
  renewPasswordHash: (userId: number, oldHash: string, newHash: string) => Promise<boolean>;
  /** `app.password.min-length`, in characters. */
  passwordMinLength: number;
  resetMailer: ResetMailer;
  passkeyChallenges: PasskeyChallenges;

  loginFailures: LoginFailures;
  /** Counts the failures of one kind of request per address; each kind needs its own name. */
  makeFailureLimiter: (what: string) => FailureLimiter;
  /** These count by address. */
  refreshFailures: FailureLimiter;
  resetRequests: FailureLimiter;
  resetFailures: FailureLimiter;
  begunDeviceLogins: FailureLimiter;
  unknownDeviceCodes: FailureLimiter;
  /** User codes that belong to no login, by user. */
  wrongDeviceCodes: WrongCodes;
}
