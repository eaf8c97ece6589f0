import { Passwords } from '../../platform/crypto/passwords.ts';
import { Tokens } from '../../platform/crypto/tokens.ts';
import { FailureLimiter } from '../../platform/http/limits/rate-limiter.ts';
import type { NodeWith } from '../../platform/node.ts';
import type { IdentityApp, IdentitySettings } from './app.ts';
import { RefusedRequests } from './audit/refused-requests.ts';
import { CertificateWatch } from './console/certificate-watch.ts';
import { authenticator } from './developer-keys/authenticate.ts';
import { expiryNotice } from './developer-keys/expiry-notices.ts';
import { KeyAuthenticator } from './developer-keys/key-authenticator.ts';
import { WrongCodes } from './device-login/wrong-codes.ts';
import { UserMailComposers } from './mails/user-mails.ts';
import { RequestRecorder } from './requests/recorder.ts';
import { PasskeyChallenges } from './second-factor/passkeys/challenges.ts';
import { failureWindowMs, LoginFailures } from './sessions/login-failures.ts';
import { SessionAuthenticator } from './sessions/session-authenticator.ts';
import { SessionCookie } from './sessions/session-cookie.ts';
import { RegisteredTenantSellers } from './tenants/sellers.ts';
import { invitationMail } from './users/invitation-mail.ts';
import { ResetMailer } from './users/reset-mailer.ts';
import { renewPasswordHash } from './users/statements.ts';

/** Makes the services of the identity modules, in order of dependency. Called once per node. */
export function identityServices(node: NodeWith<IdentitySettings>): IdentityApp {
  const { settings, database, clock, lifecycle, otherProcesses, passwordCost, publicUrl, failuresPerAddress } = node;
  const refusedRequests = new RefusedRequests(node);
  lifecycle.add('refused requests', () => refusedRequests.stop());
  const makeFailureLimiter = (what: string) =>
    new FailureLimiter({
      max: failuresPerAddress,
      windowMs: failureWindowMs,
      clock,
      shared: otherProcesses.sharedUses(what),
    });

  const lifetimes = {
    accessTokenSeconds: settings['app.jwt.access-token-expire'] / 1000,
    sessionSeconds: settings['app.jwt.refresh-token-expire'] / 1000,
    idleMs: settings['app.security.session-idle-timeout'],
  };
  const isStrict = settings['app.security.profile'] === 'strict';
  const platformSecondFactorRequired = settings['app.security.platform-second-factor'] === 'required';
  const tokens = new Tokens({ keys: node.signingKeys, issuer: 'florin', audience: 'florin', clock });
  const sessions = new SessionAuthenticator({ ...node, tokens, platformSecondFactorRequired, isStrict, lifetimes });
  lifecycle.add('last uses of sessions', () => sessions.settled());
  const sessionCookie = new SessionCookie(publicUrl);
  const unknownKeys = node.metrics.counter(
    'florin_unknown_keys_total',
    'Requests with a developer key that nobody has. Those with a revoked or expired key are in the request log.',
  );
  const keys = new KeyAuthenticator({ ...node, onUnknown: () => unknownKeys.inc() });
  lifecycle.add('last uses of keys', () => keys.settled());

  const certificate = new CertificateWatch(publicUrl);
  lifecycle.add('certificate', async () => certificate.stop());

  const resetMailer = new ResetMailer(node);
  lifecycle.add('reset mails', () => resetMailer.settled());
  const composing = { ...node, database: node.workerDatabase };
  const userMailComposers = new UserMailComposers();
  userMailComposers.register('INVITATION', (queued) => invitationMail(queued, composing));
  userMailComposers.register('KEY_EXPIRING', (queued) => expiryNotice(queued, composing));
  const requestRecorder = requestRecorderOf(node);
  lifecycle.add('request log', () => requestRecorder.flush());
  return {
    ...node,
    refusedRequests,
    requestRecorder,
    authenticate: authenticator({ keys, sessions, sessionCookie }),
    keys,
    sessions,
    tokens,
    sessionCookie,
    certificate,
    lifetimes,
    isStrict,
    stepUpMs: settings['app.security.step-up-lifetime'],
    maxKeys: settings['app.developer-key.max-per-user'],
    passwords: new Passwords(passwordCost && { cost: passwordCost }),
    renewPasswordHash: async (...values) => (await database.run(renewPasswordHash, values)).length > 0,
    passwordMinLength: settings['app.password.min-length'],
    resetMailer,
    userMailComposers,
    tenantSellers: new RegisteredTenantSellers(),
    passkeyChallenges: new PasskeyChallenges(node),
    loginFailures: new LoginFailures({ clock, failuresPerAddress, otherProcesses }),
    makeFailureLimiter,
    refreshFailures: makeFailureLimiter('failed refreshes'),
    resetRequests: makeFailureLimiter('requests for reset mails'),
    resetFailures: makeFailureLimiter('failed password resets'),
    begunDeviceLogins: makeFailureLimiter('begun device logins'),
    unknownDeviceCodes: makeFailureLimiter('unknown device codes'),
    wrongDeviceCodes: new WrongCodes({ clock, otherProcesses }),
  };
}

function requestRecorderOf(node: NodeWith<IdentitySettings>): RequestRecorder {
  const { workerDatabase, generateUuid, metrics, logError, settings } = node;
  const dropped = metrics.counter(
    'florin_request_log_dropped_total',
    'Requests missing in the request log: too many in a second, or a write failed.',
  );
  return new RequestRecorder({
    database: workerDatabase,
    generateUuid,
    recorded: settings['app.request-log.record'],
    onDropped: (count) => dropped.inc(count),
    logError,
  });
}
