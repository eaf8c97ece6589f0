// Generated from the OpenAPI document by `npm run docs`. Do not edit.
import type { Call, RawBody, RequestOptions, WriteOptions } from '../operation.ts';
import type { TransactionHelpers } from '../client.ts';
import type { List } from '../pages.ts';
import type { WebhookHelpers } from '../webhooks.ts';

/** All operations of the service, by resource. */
export class Api {
  declare readonly health: HealthApi;
  declare readonly audit: AuditApi;
  declare readonly tenants: TenantsApi;
  declare readonly users: UsersApi;
  declare readonly sessions: SessionsApi;
  declare readonly keys: KeysApi;
  declare readonly secondFactor: SecondFactorApi;
  declare readonly passkeys: PasskeysApi;
  declare readonly console: ConsoleApi;
  declare readonly requests: RequestsApi;
  declare readonly devices: DevicesApi;
  declare readonly views: ViewsApi;
  declare readonly events: EventsApi;
  declare readonly webhooks: WebhooksApi;
  declare readonly inboxes: InboxesApi;
  declare readonly channels: ChannelsApi;
  declare readonly paymentMethods: PaymentMethodsApi;
  declare readonly ledger: LedgerApi;
  declare readonly transactions: TransactionsApi;
  declare readonly refunds: RefundsApi;
  declare readonly discrepancies: DiscrepanciesApi;
  declare readonly disputes: DisputesApi;
  declare readonly callbacks: CallbacksApi;
  declare readonly statistics: StatisticsApi;
  declare readonly sellers: SellersApi;
  declare readonly clocks: ClocksApi;
  declare readonly customers: CustomersApi;
  declare readonly invoices: InvoicesApi;
  declare readonly plans: PlansApi;
  declare readonly subscriptions: SubscriptionsApi;
  declare readonly checkouts: CheckoutsApi;
  declare readonly search: SearchApi;
  declare readonly finances: FinancesApi;
  declare readonly system: SystemApi;
}

export interface HealthApi {
  /**
   * Liveness: the process runs.
   *
   * Answers while the process runs, whatever its database does.
   */
  live(options?: RequestOptions): Call<Health>;
  /**
   * Readiness: requests can be served.
   *
   * 503 while the database has not accepted writes for 20 seconds, while its disk is full, before it has accepted any since the start, and after the service has begun to stop. `error.details` holds the reason.
   */
  ready(options?: RequestOptions): Call<Readiness>;
}

export interface AuditApi {
  /**
   * List the audit log.
   *
   * Newest first. A MERCHANT_ADMIN sees the log of its own tenant, a PLATFORM_ADMIN every tenant's. A page can hold fewer entries than `pageSize` and still have a successor: there are more pages as long as `pagination.nextCursor` is not null.
   *
   * All filters can be combined.
   *
   * Needs the scope `*`. Needs the user type MERCHANT_ADMIN or PLATFORM_ADMIN.
   */
  list(params?: AuditListParams, options?: RequestOptions): List<AuditEntry>;
  /**
   * Export the audit log.
   *
   * Streams all entries that pass the filters, newest first, as NDJSON or CSV instead of the JSON envelope. Errors use the envelope. The export is recorded in the log.
   *
   * NDJSON holds each entry as it is stored, so that its hash can be recomputed. CSV is for spreadsheets: `changes` and
   * `details` are JSON, and a text that a spreadsheet would take for a formula has a `'` in front.
   *
   * Needs the scope `*`. Needs the user type MERCHANT_ADMIN or PLATFORM_ADMIN.
   */
  export(params?: AuditExportParams, options?: RequestOptions): Call<Response>;
}

export interface TenantsApi {
  /**
   * List tenants.
   *
   * Oldest first, without the platform's own tenant.
   *
   * Needs the scope `*`. Needs the user type PLATFORM_ADMIN.
   */
  list(params?: TenantsListParams, options?: RequestOptions): List<Tenant>;
  /**
   * Get a tenant.
   *
   * Needs the scope `*`. Needs the user type PLATFORM_ADMIN.
   */
  get(params: number | TenantsGetParams, options?: RequestOptions): Call<Tenant>;
  /**
   * Create or update a tenant.
   *
   * Without `id`, creates a tenant; with `id`, updates that tenant. Disabling a tenant (`state` false) refuses its logins, sessions and keys immediately.
   *
   * The platform's own tenant cannot be changed.
   *
   * Needs the scope `*`. Needs the user type PLATFORM_ADMIN.
   */
  modify(params?: TenantModifyInput, options?: WriteOptions): Call<Tenant>;
}

export interface UsersApi {
  /**
   * Log in.
   *
   * A wrong password, an unknown account and a disabled account get the same refusal (401). After 10 failures in 15 minutes, further logins to that account from that address are refused (429, with Retry-After), and after `app.rate-limit.failures-per-address` failures those to any account that has not logged in from there before. An account with a second factor gets `second_factor_challenge` (401), whose `error.details.challenge` goes to `/api/user/login/second-factor` with a code.
   *
   * `account` is a user name or an e-mail address.
   */
  login(params: LoginInput, options?: RequestOptions): Call<LoginResult>;
  /**
   * Get a new access token.
   *
   * The refresh token does not change and stays valid until the session ends. With `app.security.profile=strict` both tokens are replaced, and a refresh token that was replaced before ends the session. Failures are limited for each address (`app.rate-limit.failures-per-address`).
   *
   * The four fields are in `data` itself and again in `data.token`, as in the answer to login.
   */
  refresh(params: RefreshInput, options?: RequestOptions): Call<RefreshResult>;
  /**
   * Log out.
   *
   * Needs a Bearer access token. Ends the session, so that both of its tokens stop working immediately; with `all`, ends every session of the user. Logging out twice is not an error. The body is optional. With `app.security.profile=strict`, `all` needs a fresh login or step-up.
   *
   * Needs a Bearer access token.
   */
  logout(params?: LogoutInput, options?: RequestOptions): Call<null>;
  /**
   * Request a password reset.
   *
   * Sends an e-mail with a reset token that is valid for 30 minutes. The answer is the same for any address. At most `app.rate-limit.failures-per-address` requests from one address in 15 minutes.
   *
   * The token works once. A user has at most five open tokens; while there are five, no more are sent.
   *
   * A known and an unknown address get the same answer in the same time. What follows differs: for a known address there is a
   * mail and an entry in the audit log. Somebody who could measure the load of the service to a few milliseconds after the
   * answer might tell them apart.
   *
   * Without a mail server the message is a file in `mail` of the data folder. Its link leads to `/reset-password` below
   * `app.public-url`, a page of Florin that asks for the new password. The mail also has the token itself, for programs.
   */
  forgotPassword(params: ForgotPasswordInput, options?: RequestOptions): Call<null>;
  /**
   * Reset the password.
   *
   * Takes the token received by e-mail, for a reset or with an invitation, which works once. Every session of the user ends.
   *
   * The other tokens of the user become void.
   */
  resetPassword(params: ResetPasswordInput, options?: RequestOptions): Call<null>;
  /**
   * Change my password.
   *
   * Needs the present password; a wrong one (400) counts as a failed login. Ends the other sessions of the caller and voids every mailed token.
   *
   * Needs a Bearer access token.
   */
  changePassword(params: ChangePasswordInput, options?: RequestOptions): Call<null>;
  /**
   * Get the current user.
   *
   * Needs a Bearer access token.
   */
  info(options?: RequestOptions): Call<CurrentUser>;
  /**
   * Get a user.
   *
   * A user of the caller's tenant. A platform administrator finds those of every tenant.
   *
   * Needs the scope `user_read`.
   */
  get(params: number | UsersGetParams, options?: RequestOptions): Call<User>;
  /**
   * List users.
   *
   * Newest first. A platform administrator sees the users of every tenant, others those of their own.
   *
   * Needs the scope `user_read`.
   */
  list(params?: UsersListParams, options?: RequestOptions): List<User>;
  /**
   * Create or update a user.
   *
   * Without `id`, creates a user; with `id`, updates that user. A new user without `password` is invited by mail to choose one, within 7 days. Callers cannot create or update a user who has a permission that they do not have themselves, and a key can set neither a password nor the e-mail address of an existing user (403). A new password, another address and `state` false end the sessions of the user and void every mailed token; `state` false also revokes the keys. The last active PLATFORM_ADMIN can be neither disabled nor demoted (409). Callers change their own password at `/api/user/change-password`, and their own address with `oldPassword`. A test key changes no users (409).
   *
   * `tenantId` is the caller's own unless a platform administrator names another, and never changes. A `PLATFORM_ADMIN`
   * belongs to no tenant.
   *
   * Needs the scope `user_write`.
   */
  modify(params?: UserModifyInput, options?: WriteOptions): Call<User>;
  /**
   * Finish a login with a code.
   *
   * Takes the challenge of a login, and answers like a login without a second factor. Wrong codes (400) count as failed logins, and after 10 in 15 minutes no code of the user is accepted (429).
   *
   * The challenge works for five minutes, five attempts and one login, and not after the password has changed.
   */
  loginSecondFactor(params: SecondFactorLoginInput, options?: RequestOptions): Call<LoginResult>;
  /**
   * Step up the session with a code.
   *
   * For `app.security.step-up-lifetime` the session may then do what is otherwise refused with `step_up_required`. A login with a code counts too. With `app.security.profile=strict` the answer has new tokens, and the old ones stop working. Wrong codes (400) count as failed logins, and after 10 in 15 minutes no code of the user is accepted (429).
   *
   * The answer says until when: `steppedUpUntil`.
   *
   * Needs a Bearer access token.
   */
  stepUp(params: SecondFactorCodeInput, options?: RequestOptions): Call<StepUp>;
}

export interface SessionsApi {
  /**
   * List my sessions.
   *
   * Newest first: the device and address of each, and when it was last used.
   *
   * `current` marks the session of the request.
   *
   * Needs a Bearer access token.
   */
  list(params?: TenantsListParams, options?: RequestOptions): List<Session>;
  /**
   * End one or all of my sessions.
   *
   * Takes effect immediately. Ending a session again is not an error. With `app.security.profile=strict` it needs a fresh login or step-up.
   *
   * Ends one session by its `id`, or with `all` every one of the caller's; on other nodes within a second.
   *
   * Needs a Bearer access token.
   */
  revoke(params?: SessionRevokeInput, options?: RequestOptions): Call<null>;
}

export interface KeysApi {
  /**
   * Generate a developer key.
   *
   * The key acts as its owner, the caller: it can do what its scope and the permissions of its owner both allow. Scopes that the caller does not hold cannot be granted (403). A user has at most `app.developer-key.max-per-user` keys, including revoked ones. The body is optional.
   *
   * This is the only answer that has `sk`; Florin keeps its SHA-256. Scopes lists what `scope` may
   * name.
   *
   * Needs a Bearer access token.
   */
  generate(params?: DeveloperKeyGenerateInput, options?: RequestOptions): Call<GeneratedDeveloperKey>;
  /**
   * List my developer keys.
   *
   * Newest first, including revoked keys.
   *
   * `lastUsedTime` is exact to within a minute.
   *
   * Needs a Bearer access token.
   */
  list(options?: RequestOptions): List<DeveloperKey>;
  /**
   * Revoke one of my developer keys.
   *
   * Takes effect immediately and cannot be undone. Revoking a key again is not an error.
   *
   * On this node the key stops working at once, on every other within a second.
   *
   * Needs a Bearer access token.
   */
  revoke(params: number | DeveloperKeyRevokeInput, options?: RequestOptions): Call<DeveloperKey>;
  /**
   * Replace one of my developer keys.
   *
   * Returns a new key with the same scope, name, mode and allowed addresses. The old key keeps working for `overlapSeconds`. A key that is revoked, has expired or was replaced before cannot be rotated (409).
   *
   * So programs can be changed one after the other. The refusal is `key_inactive`.
   *
   * Needs a Bearer access token.
   */
  rotate(params: number | DeveloperKeyRotateInput, options?: RequestOptions): Call<GeneratedDeveloperKey>;
  /**
   * Get the developer key of this request.
   *
   * The key that the request is sent with: its owner, what it may do, and when it expires.
   *
   * Needs a developer key.
   */
  current(options?: RequestOptions): Call<CurrentDeveloperKey>;
  /**
   * List developer keys of all users.
   *
   * Newest first, including revoked keys: those of the caller's tenant, or of every tenant for a PLATFORM_ADMIN. A MERCHANT_ADMIN does not see keys of PLATFORM_ADMINs.
   *
   * Each also has `userId`, `userName` and `tenantId`.
   *
   * Needs a Bearer access token. Needs the user type MERCHANT_ADMIN or PLATFORM_ADMIN.
   */
  listAll(params?: KeysListAllParams, options?: RequestOptions): List<OwnedDeveloperKey>;
  /**
   * Revoke a developer key of any user.
   *
   * Of the caller's tenant, or of any for a PLATFORM_ADMIN. Takes effect immediately and cannot be undone. Revoking a key again is not an error.
   *
   * Needs a Bearer access token. Needs the user type MERCHANT_ADMIN or PLATFORM_ADMIN.
   */
  revokeAny(params: number | DeveloperKeyRevokeInput, options?: RequestOptions): Call<OwnedDeveloperKey>;
}

export interface SecondFactorApi {
  /**
   * Get the state of my second factor.
   *
   * Whether the caller has an authenticator app, how many passkeys there are, and how many recovery codes are left.
   *
   * Needs a Bearer access token.
   */
  get(options?: RequestOptions): Call<SecondFactor>;
  /**
   * Begin to enrol a second factor.
   *
   * Returns a secret for an authenticator app (TOTP, RFC 6238: SHA-1, 6 digits, 30 seconds). It is used once it is confirmed with a code; until then, beginning again replaces it. A caller with a passkey must be stepped up. A wrong password (400) counts as a failed login.
   *
   * Needs a Bearer access token.
   */
  begin(params: SecondFactorBeginInput, options?: RequestOptions): Call<SecondFactorEnrolment>;
  /**
   * Confirm the second factor with a code.
   *
   * From now on logins need a code. The other sessions of the caller end, and this one is stepped up. With `app.security.profile=strict` the answer has new tokens, and the old ones stop working. Wrong codes (400) count as failed logins, and after 10 in 15 minutes no code of the user is accepted (429).
   *
   * The answer has ten recovery codes, which are not shown again.
   *
   * Needs a Bearer access token.
   */
  confirm(params: SecondFactorCodeInput, options?: RequestOptions): Call<SecondFactorEnrolled>;
  /**
   * Replace my recovery codes.
   *
   * The old codes stop working. Wrong codes (400) count as failed logins, and after 10 in 15 minutes no code of the user is accepted (429).
   *
   * The answer has ten new codes.
   *
   * Needs a Bearer access token.
   */
  recoveryCodes(params: SecondFactorCodeInput, options?: RequestOptions): Call<RecoveryCodes>;
  /**
   * Remove my authenticator app.
   *
   * Needs a code or a recovery code. Passkeys stay, and with them the recovery codes. Wrong codes (400) count as failed logins, and after 10 in 15 minutes no code of the user is accepted (429).
   *
   * Needs a Bearer access token.
   */
  remove(params: SecondFactorCodeInput, options?: RequestOptions): Call<null>;
  /**
   * Remove the second factor of another user.
   *
   * For a user who has lost it: the authenticator app, all passkeys and the recovery codes, of a user of the caller's tenant, or of any for a PLATFORM_ADMIN. The sessions of the user end. An administrator with a second factor must be stepped up.
   *
   * The user must not have a permission that the caller lacks.
   *
   * Needs a Bearer access token. Needs the user type MERCHANT_ADMIN or PLATFORM_ADMIN.
   */
  revoke(params: number | SecondFactorRevokeInput, options?: RequestOptions): Call<null>;
}

export interface PasskeysApi {
  /**
   * Begin a login with a passkey.
   *
   * With the challenge of a login whose password was right,
   *            the passkey is the second factor. Without one it is the only step, and the device must check a PIN, a finger
   *            or a face.
   */
  beginLogin(params?: PasskeyLoginBeginInput, options?: RequestOptions): Call<PasskeyOptions>;
  /**
   * Finish a login with a passkey.
   *
   * Answers like a login without a second factor. Whatever is wrong with the passkey, the refusal is the same (401), and counts as a failed login.
   */
  login(params: PasskeyLoginInput, options?: RequestOptions): Call<LoginResult>;
  /**
   * List my passkeys.
   *
   * Oldest first.
   *
   * Needs a Bearer access token.
   */
  list(options?: RequestOptions): List<Passkey>;
  /**
   * Begin to register a passkey.
   *
   * A caller with a second factor must be stepped up. A wrong password (400) counts as a failed login.
   *
   * Needs a Bearer access token.
   */
  begin(params: SecondFactorBeginInput, options?: RequestOptions): Call<PasskeyOptions>;
  /**
   * Register a passkey.
   *
   * If it is the caller's first second factor, recovery codes are created, logins need a second step from now on, and the other sessions of the caller end. This session is stepped up. With `app.security.profile=strict` the answer has new tokens, and the old ones stop working.
   *
   * Takes the response of an authenticator to the options. A user has at most 20 passkeys.
   *
   * Needs a Bearer access token.
   */
  register(params: PasskeyRegisterInput, options?: RequestOptions): Call<RegisteredPasskey>;
  /**
   * Rename a passkey.
   *
   * Needs a Bearer access token.
   */
  modify(params: PasskeyModifyInput, options?: RequestOptions): Call<Passkey>;
  /**
   * Remove a passkey.
   *
   * The session must be stepped up. When a user without an authenticator app removes the last passkey, logins need only the password.
   *
   * Needs a Bearer access token.
   */
  remove(params: string | PasskeyRemoveInput, options?: RequestOptions): Call<null>;
  /**
   * Begin to step up the session with a passkey.
   *
   * Needs a Bearer access token.
   */
  beginStepUp(params?: PasskeyStepUpBeginInput, options?: RequestOptions): Call<PasskeyOptions>;
  /**
   * Step up the session with a passkey.
   *
   * As with a code: for `app.security.step-up-lifetime`.
   *
   * Needs a Bearer access token.
   */
  stepUp(params: PasskeyStepUpInput, options?: RequestOptions): Call<StepUp>;
}

export interface ConsoleApi {
  /**
   * Get who is signed in.
   *
   * Null without credentials. The credentials of a session that has ended are refused.
   *
   * Needs nothing; a Bearer access token says who asks.
   */
  profile(options?: RequestOptions): Call<ConsoleProfile | null>;
  /**
   * Sign in to the console.
   *
   * Like a login, but the session is kept in a cookie that no script can read, and no token is returned. The session of a previous cookie ends. Only for pages of this origin, which send the header `X-Florin-Console`; others are refused (403, `origin_not_allowed`).
   *
   * An account with a second factor gets `second_factor_challenge` (401), whose
   * `error.details.challenge` goes to the next endpoint with a code.
   */
  signIn(params: LoginInput, options?: RequestOptions): Call<null>;
  /**
   * Finish signing in with a code.
   *
   * Takes the challenge of the refused sign-in. Only for pages of this origin, which send the header `X-Florin-Console`; others are refused (403, `origin_not_allowed`).
   */
  confirmSignIn(params: SecondFactorLoginInput, options?: RequestOptions): Call<null>;
  /**
   * Sign in to the console with a passkey.
   *
   * After a password, with the challenge of the refused sign-in, or alone. `POST /api/user/login/passkey/begin` has the options. Only for pages of this origin, which send the header `X-Florin-Console`; others are refused (403, `origin_not_allowed`).
   */
  signInWithPasskey(params: PasskeyLoginInput, options?: RequestOptions): Call<null>;
  /**
   * Sign out of the console.
   *
   * Ends the session and removes the cookie; with `all`, ends every session of the user. Signing out twice is not an error. The body is optional. Only for pages of this origin, which send the header `X-Florin-Console`; others are refused (403, `origin_not_allowed`).
   */
  signOut(params?: LogoutInput, options?: RequestOptions): Call<null>;
}

export interface RequestsApi {
  /**
   * List the request log.
   *
   * What callers sent, newest first, without bodies and queries. Who holds `*` sees the requests of the whole tenant, any other session those of its user, and any other key its own; a key sees those of its own mode. A page can hold fewer requests than `pageSize` and still have a successor: there are more pages as long as `pagination.nextCursor` is not null.
   *
   * Needs a Bearer access token or a developer key.
   */
  list(params?: RequestsListParams, options?: RequestOptions): List<ListedRequest>;
  /**
   * Get a request from the log.
   *
   * With the refusal, if it was refused.
   *
   * Needs a Bearer access token or a developer key.
   */
  get(params: string | RequestsGetParams, options?: RequestOptions): Call<Request>;
}

export interface DevicesApi {
  /**
   * Begin the login of a program.
   *
   * Returns two codes (RFC 8628). The program shows the user code and the address at which the user approves the login, and meanwhile polls for its key with the device code.
   */
  begin(params: DeviceCodeInput, options?: RequestOptions): Call<DeviceCode>;
  /**
   * Get the key of an approved login.
   *
   * Returns the key once, after the user has approved the login. Until then refuses with `authorization_pending`, or with `slow_down` when the program polls too often. The key expires after 90 days.
   *
   * Refusals have the types of the RFC: `authorization_pending`,
   * `slow_down`, `access_denied` and
   * `expired_token`.
   */
  claim(params: DeviceTokenInput, options?: RequestOptions): Call<DeviceKey>;
  /**
   * Get the pending login with a user code.
   *
   * For the page on which the user approves it. Ten wrong codes in 15 minutes are refused.
   *
   * Needs a Bearer access token.
   */
  request(params: DevicesRequestParams, options?: RequestOptions): Call<DeviceRequest>;
  /**
   * Approve or deny the login of a program.
   *
   * The program gets a developer key of the caller, which acts as the caller within its scope.
   *
   * Needs a Bearer access token.
   */
  decide(params: DeviceDecideInput, options?: RequestOptions): Call<DeviceDecision>;
}

export interface ViewsApi {
  /**
   * List the caller's saved views.
   *
   * By list, oldest first; those of other users are never shown.
   *
   * Needs a Bearer access token.
   */
  list(params?: ViewsListParams, options?: RequestOptions): List<View>;
  /**
   * Save a view.
   *
   * Replaces the view of the same list and name. Without a name it is the default view, with which the list opens.
   *
   * Needs a Bearer access token.
   */
  modify(params: ViewModifyInput, options?: RequestOptions): Call<View>;
  /**
   * Remove a view.
   *
   * Changes nothing if the caller has no view of this name.
   *
   * Needs a Bearer access token.
   */
  remove(params: ViewRemoveInput, options?: RequestOptions): Call<null>;
}

export interface EventsApi {
  /**
   * List events.
   *
   * Newest first, of the types whose read scope the caller holds. A page can hold fewer events than `pageSize` and still have a successor: there are more pages as long as `pagination.nextCursor` is not null. With `Accept: text/csv` or `Accept: application/x-ndjson` the answer is all rows under the filters, as a stream instead of a page; `X-Total-Count` has their number where a page has a `total`. Refusals use the envelope. The export is recorded in the audit log.
   *
   * A platform administrator sees the events of every tenant. All filters can be combined.
   *
   * Needs a Bearer access token or a developer key.
   */
  list(params?: EventsListParams, options?: RequestOptions): List<Event>;
  /**
   * Get an event and its payload.
   *
   * Needs the read scope of the event's type.
   *
   * `payload` is exactly what every receiver is sent.
   *
   * Needs a Bearer access token or a developer key.
   */
  get(params: string | EventsGetParams, options?: RequestOptions): Call<EventDetail>;
  /**
   * Stream events as they happen.
   *
   * Server-sent events (`text/event-stream`) of the caller's tenant: each `data` is an event as the list of events shows it, without its payload, and each `id` the id of the event. Only types whose read scope the caller holds. Send the last id as `Last-Event-ID` to resume, as browsers do by themselves; an event may then come twice. `gap` instead of a message: more has happened than a stream shows, so read the list of events. At most 10 streams of a user on a node.
   *
   * The console reads it, and so can programs that stay connected, for example with `EventSource`. It
   * is a hint to look, not a record: what must not be missed is delivered by webhooks, and is in the
   * list of events.
   *
   * Needs a Bearer access token or a developer key.
   */
  stream(params?: EventsStreamParams, options?: RequestOptions): Call<Response>;
}

export interface WebhooksApi extends WebhookHelpers {
  /**
   * Register a webhook endpoint.
   *
   * Events of the caller's tenant, in the mode of the endpoint, are posted to the endpoint from now on, signed. The caller also needs the read scope of every event type in `events`. A repeat with the same `Idempotency-Key` gets the first response again, without the generated secret: rotate it if that response was lost.
   *
   * `events` may name types, all types of a record (`transaction.*`) or everything (`*`). Without a `secret`, Florin generates
   * one and returns it in this answer alone. A tenant has at most `app.webhook.max-endpoints` endpoints.
   * The webhooks guide says more.
   *
   * Needs the scope `webhook_write`.
   */
  register(params: WebhookRegisterInput, options?: WriteOptions): Call<RegisteredWebhookEndpoint>;
  /**
   * List webhook endpoints.
   *
   * Newest first: endpoints whose subscribed event types the caller may all read. Secrets are never shown.
   *
   * Needs the scope `webhook_read`.
   */
  list(params?: WebhooksListParams, options?: RequestOptions): List<WebhookEndpoint>;
  /**
   * Get a webhook endpoint.
   *
   * Without its secret. Also needs the read scope of every event type that it subscribes to. A removed endpoint is absent.
   *
   * Needs the scope `webhook_read`.
   */
  get(params: number | WebhooksGetParams, options?: RequestOptions): Call<WebhookEndpoint>;
  /**
   * Change a webhook endpoint.
   *
   * Fields left out keep their value. Open deliveries go to the new URL. Enabling an endpoint clears its failures; events that happened while it was disabled can be replayed. `retry` ends a pause after failures.
   *
   * A disabled endpoint is sent nothing, and deliveries that become due meanwhile are cancelled.
   *
   * Needs the scope `webhook_write`.
   */
  modify(params: number | WebhookModifyInput, options?: RequestOptions): Call<WebhookEndpoint>;
  /**
   * Remove a webhook endpoint.
   *
   * Cannot be undone. Open deliveries are CANCELLED; deliveries stay readable. Removing an endpoint again is not an error.
   *
   * Needs the scope `webhook_write`.
   */
  remove(params: number | WebhookIdInput, options?: RequestOptions): Call<WebhookEndpoint>;
  /**
   * Change a webhook endpoint's secret.
   *
   * In two steps. `secret` stages the next secret: `webhook-signature` then carries the signatures of both secrets, `X-Service-Signature` that of the present one. `promote`, or the time `promoteAt`, makes it the present one.
   *
   * The webhooks guide says what the receiver does meanwhile.
   *
   * Needs the scope `webhook_write`.
   */
  rotate(params: number | WebhookRotateInput, options?: RequestOptions): Call<WebhookEndpoint>;
  /**
   * Send a ping to a webhook endpoint.
   *
   * Enqueues an event of the type `webhook.ping` to this endpoint only, whatever its subscriptions. It is signed, retried and listed among the deliveries like any other event. It goes before deliveries that wait, and to an endpoint that is paused after failures too.
   *
   * Needs the scope `webhook_write`.
   */
  test(params: number | WebhookIdInput, options?: RequestOptions): Call<WebhookTestResult>;
  /**
   * Replay one delivery, or all events since a time.
   *
   * The events are sent again under the same `X-Service-Delivery`, with retries of their own. Deliveries that are still open are not sent twice. A replay since a time runs in batches, survives a crash, and includes events that had no delivery because the endpoint was switched off. A tenant has one of these at a time.
   *
   * There are two forms:
   *
   * - `deliveryId`: this delivery, at once. While it is in progress it is not repeated: the answer is the delivery itself.
   * - `endpointId` and `since` (`until`, `states`): everything that happened since, of the types that the endpoint subscribes to
   *   now, including events without a delivery because the endpoint was switched off (`MISSING`). Deliveries in progress are not
   *   sent again, nor those that ended after the replay was requested. The same replay requested again is the same one.
   *
   * Needs the scope `webhook_write`.
   */
  replay(params?: WebhookReplayInput, options?: RequestOptions): Call<StartedWebhookReplay>;
  readonly deliveries: WebhooksDeliveriesApi;
  readonly replays: WebhooksReplaysApi;
}

export interface WebhooksDeliveriesApi {
  /**
   * List deliveries.
   *
   * Deliveries of the latest events come first, and `startDate` and `endDate` apply to the events. A page may be shorter than `pageSize` although more pages follow: continue until `pagination.nextCursor` is null. With `Accept: text/csv` or `Accept: application/x-ndjson` the answer is all rows under the filters, as a stream instead of a page; `X-Total-Count` has their number where a page has a `total`. Refusals use the envelope. The export is recorded in the audit log.
   *
   * It filters at most 10,000 deliveries at a time, so a page can be short or empty and still be followed by others.
   *
   * Needs the scope `webhook_read`.
   */
  list(params?: WebhooksDeliveriesListParams, options?: RequestOptions): List<Delivery>;
  /**
   * Get a delivery with its attempts.
   *
   * One delivery with every
   * attempt, and every delivery that was sent under the same id: `id` may be
   * what a receiver found in `X-Service-Delivery`.
   *
   * Needs the scope `webhook_read`.
   */
  get(params: string | WebhooksDeliveriesGetParams, options?: RequestOptions): Call<DeliveryDetail>;
}

export interface WebhooksReplaysApi {
  /**
   * Get the progress of a replay.
   *
   * It stays `RUNNING` until 15 seconds after `until`, to look again for events that were being written then.
   *
   * Needs the scope `webhook_read`.
   */
  get(params: string | WebhooksReplaysGetParams, options?: RequestOptions): Call<WebhookReplay>;
}

export interface InboxesApi {
  /**
   * Create an inbox.
   *
   * An inbox is a URL of Florin to try webhooks with. It stores the last 100 messages posted to it and expires after seven days. Also needs the read scope of every event type. A tenant has at most 20 inboxes: one more replaces the oldest. The body is optional.
   *
   * This is the only answer that has its address.
   *
   * Needs the scope `webhook_write`.
   */
  create(params?: InboxCreateInput, options?: RequestOptions): Call<CreatedInbox>;
  /**
   * List inboxes.
   *
   * Newest first. Also needs the read scope of every event type.
   *
   * Needs the scope `webhook_read`.
   */
  list(params?: InboxesListParams, options?: RequestOptions): List<Inbox>;
  /**
   * List the messages in an inbox.
   *
   * Newest first. Also needs the read scope of every event type.
   *
   * Headers that hold credentials are not kept.
   *
   * Needs the scope `webhook_read`.
   */
  messages(params: number | InboxesMessagesParams, options?: RequestOptions): List<InboxMessage>;
  /**
   * Post to an inbox.
   *
   * Takes any body up to 64 KiB, at most 100 messages per second.
   *
   * It needs no `Authorization`: anyone who knows the address may post. The answer says whether `X-Service-Signature` and
   * `webhook-signature` are right: `VERIFIED`, `WRONG` or `ABSENT`, and `null` for an inbox without a secret. More than 100 in
   * a second are refused (`too_many_requests`).
   */
  post(params: InboxesPostParams & { body: RawBody }, options?: RequestOptions): Call<InboxReceipt>;
}

export interface ChannelsApi {
  /**
   * List channels.
   *
   * The channels of the caller's tenant and of the platform. A platform administrator sees all tenants' channels. A key sees those of its mode, a session all.
   *
   * Needs the scope `channel_read`.
   */
  list(params?: ChannelsListParams, options?: RequestOptions): List<ChannelListItem>;
  /**
   * Get a channel.
   *
   * A channel of the caller's tenant or of the platform. A platform administrator finds every tenant's.
   *
   * Needs the scope `channel_read`.
   */
  get(params: number | ChannelsGetParams, options?: RequestOptions): Call<Channel>;
  /**
   * Check the callbacks of a channel.
   *
   * Asks the provider which events it sends to the callback address of the channel. Takes as long as the provider, at most `app.provider.timeout`.
   *
   * `unsentEvents` are those that Florin reads and the provider does not send; null: the provider does not say, the channel
   * has none, or the caller may not change the channel. Florin looks up what is not sent.
   *
   * Needs the scope `channel_read`.
   */
  check(params: number | ChannelsGetParams, options?: RequestOptions): Call<ChannelCheck>;
  /**
   * Create or update a channel.
   *
   * Creates a channel without `id`, updates the channel with this `id` otherwise. Returns the saved channel. A tenant has at most `app.channel.max-per-tenant` channels.
   *
   * An update keeps what it leaves out; an empty secret is cleared. Before you change the `provider` of a channel that has
   * taken payments, read what happens to their refunds. A channel of the platform's
   * own tenant (`tenantId` null) can be used by every tenant, and changed by platform administrators alone.
   *
   * Needs the scope `channel_write`.
   */
  modify(params?: ChannelModifyInput, options?: WriteOptions): Call<Channel>;
}

export interface PaymentMethodsApi {
  /**
   * Set up a payment method.
   *
   * Sets a payment method up at the provider of a channel, so that its customer can be charged again. It moves no money. The answer is PENDING; `payment_method.attached`, `payment_method.action_required` or `payment_method.failed` tells what becomes of it.
   *
   * Needs the scope `transaction_write`.
   */
  setup(params: PaymentMethodSetupInput, options?: WriteOptions): Call<PaymentMethod>;
  /**
   * Get a payment method.
   *
   * Needs the scope `transaction_read`.
   */
  get(params: string | PaymentMethodsGetParams, options?: RequestOptions): Call<PaymentMethod>;
  /**
   * List payment methods.
   *
   * Newest first. A page by number has the exact `total`; a page by `cursor` holds its place while payment methods are created. Under , payment methods are not counted: there are no page numbers, and a page may hold fewer rows than `pageSize` although more follow. Continue until `pagination.nextCursor` is null.
   *
   * Needs the scope `transaction_read`.
   */
  list(params?: PaymentMethodsListParams, options?: RequestOptions): List<PaymentMethodListItem>;
  /**
   * Make a payment method the default.
   *
   * Renewals are charged with the customer's default, where the subscription names no method.
   *
   * Needs the scope `transaction_write`.
   */
  default(params: string | PaymentMethodDefaultInput, options?: WriteOptions): Call<PaymentMethod>;
  /**
   * Detach a payment method.
   *
   * Removes a payment method, here at once and shortly afterwards at its provider. A charge that was sent goes on. One that is detached already is returned unchanged.
   *
   * Needs the scope `transaction_write`.
   */
  detach(params: string | PaymentMethodDetachInput, options?: WriteOptions): Call<PaymentMethod>;
}

export interface LedgerApi {
  /**
   * Read balances.
   *
   * Returns the balance of every account in every currency that has entries. Always exact.
   *
   * There are five accounts for each currency, those without entries with zeros; their balances sum to zero. A platform
   * administrator gets the sums over all tenants.
   *
   * Needs the scope `transaction_read`.
   */
  balance(params?: LedgerBalanceParams, options?: RequestOptions): List<AccountBalance>;
  /**
   * List entries.
   *
   * Newest first. Each transfer has two entries: its debit and its credit. `total` is exact.
   *
   * `startDate` and `endDate` are the days of the booking, both inclusive.
   *
   * Needs the scope `transaction_read`.
   */
  entries(params?: LedgerEntriesParams, options?: RequestOptions): List<LedgerEntry>;
}

export interface TransactionsApi extends TransactionHelpers {
  /**
   * Create a transaction.
   *
   * Creates a payment in status PENDING. When the response arrives, the payment is on disk. A repeat with the same `Idempotency-Key` gets the first response again, marked `Idempotency-Replayed: true`.
   *
   * Send an `Idempotency-Key` with every payment. When you do not know whether it arrived (a lost connection, a 503), send the
   * same request again:
   *
   * - The same key with the same body gets the first answer again, with the header `Idempotency-Replayed: true`, also when the
   *   payment has moved on since, or its channel has been switched off.
   * - The same key with another body is refused with `idempotency_mismatch`. The order of
   *   the fields does not make another body.
   * - A request that was refused does not use its key up.
   * - Keys belong to the tenant; those of create and of update are separate. They hold over several nodes and a hundred
   *   concurrent requests.
   * - A key of create is kept with its payment, a key of update for at least a day.
   *
   * Needs the scope `transaction_write`.
   */
  create(params: TransactionCreateInput, options?: WriteOptions): Call<Transaction>;
  /**
   * Update a transaction.
   *
   * Changes the description, the metadata or the status. Status changes follow the transition table. `metadata` is merged by key, `metadataReplace` replaces it as a whole.
   *
   * At least one field besides `id` is needed. The `version` of the answer is one higher. A text that was set can be changed
   * but not cleared.
   *
   * Needs the scope `transaction_write`.
   */
  update(params: string | TransactionUpdateInput, options?: WriteOptions): Call<Transaction>;
  /**
   * Get a transaction.
   *
   * Needs the scope `transaction_read`.
   */
  get(params: string | TransactionsGetParams, options?: RequestOptions): Call<TransactionDetail>;
  /**
   * List transactions.
   *
   * Newest first. A page by number has the exact `total`; a page by `cursor` holds its place while payments are created. Under `currency`, `amountFrom`, `amountTo`, `metadata`, `search` and limits other than UTC days, payments are not counted: there are no page numbers, and a page may hold fewer rows than `pageSize` although more follow. Continue until `pagination.nextCursor` is null. With `Accept: text/csv` or `Accept: application/x-ndjson` the answer is all rows under the filters, as a stream instead of a page; `X-Total-Count` has their number where a page has a `total`. Refusals use the envelope. The export is recorded in the audit log.
   *
   * Payments are counted by channel, user, status and UTC day, and through the indexes of `customerId`, `invoiceId` and
   * `providerReference`. While payments arrive, rows move from one numbered page to the next: to walk through all of them,
   * follow `nextCursor`.
   *
   * Needs the scope `transaction_read`.
   */
  list(params?: TransactionsListParams, options?: RequestOptions): List<TransactionListItem>;
  /**
   * Capture an authorized transaction.
   *
   * Takes the money of a transaction with `captureMethod` MANUAL that its provider has authorized: all of it, or a part. The capture is PENDING until the provider reports its result (`transaction.captured`, or `transaction.capture_failed`, after which the amount can be captured again). One capture or release of a transaction is under way at a time.
   *
   * Answers with the [capture](#capture). The guide follows an order through it.
   *
   * This example authorizes a payment at the sandbox first:
   *
   *
   *
   *
   *
   * ### Capture
   *
   * <!-- generated: resource capture -->
   *
   * Needs the scope `transaction_write`.
   */
  capture(params: string | TransactionCaptureInput, options?: WriteOptions): Call<Capture>;
  /**
   * Release what was not captured.
   *
   * Ends an authorized transaction after a capture that was not final: the payer gets the rest back, and the transaction is SUCCESS when the provider has confirmed that. Without a capture, `POST /api/transaction/update` with status CANCELLED releases the whole amount.
   *
   * Answers with the [transaction](#transaction), which is `SUCCESS` once the provider has confirmed the release.
   *
   * Needs the scope `transaction_write`.
   */
  release(params: string | TransactionReleaseInput, options?: WriteOptions): Call<Transaction>;
  /**
   * Read the timeline of a transaction.
   *
   * Every step, oldest first: the creation and at most the newest 1000 others.
   *
   * Who created and changed the payment, what providers were asked and what they answered, refunds, callbacks. A step
   * `omitted` says that there were more. The payments guide lists the types. A step leaves
   * out the fields that it has nothing to say about.
   *
   * Needs the scope `transaction_read`.
   */
  timeline(params: string | TransactionsGetParams, options?: RequestOptions): List<TimelineStep>;
}

export interface RefundsApi {
  /**
   * Refund a transaction.
   *
   * Refunds a payment in full or in part. The sum of refunds never exceeds the payment. If the channel has a provider, the refund is PENDING until the provider reports its result; otherwise it is recorded as SUCCESS.
   *
   * The payment must be `SUCCESS`, or `REFUNDED` in part. Each refund that succeeds moves the payment to `REFUNDED` and sends
   * `transaction.refunded` with the payment as it is then. The guide on refunds says more.
   *
   * Needs the scope `transaction_refund`.
   */
  create(params: RefundCreateInput, options?: WriteOptions): Call<Refund>;
  /**
   * Get a refund.
   *
   * Needs the scope `transaction_read`.
   */
  get(params: string | RefundsGetParams, options?: RequestOptions): Call<Refund>;
  /**
   * List refunds.
   *
   * Newest first. A page by number has the exact `total`; a page by `cursor` holds its place while refunds are created. Under `userId`, `currency`, `amountFrom`, `amountTo`, `metadata`, refunds are not counted: there are no page numbers, and a page may hold fewer rows than `pageSize` although more follow. Continue until `pagination.nextCursor` is null. With `Accept: text/csv` or `Accept: application/x-ndjson` the answer is all rows under the filters, as a stream instead of a page; `X-Total-Count` has their number where a page has a `total`. Refusals use the envelope. The export is recorded in the audit log.
   *
   * A row also has the `channelId` and the `customerId` of the payment.
   *
   * Needs the scope `transaction_read`.
   */
  list(params?: RefundsListParams, options?: RequestOptions): List<RefundListItem>;
}

export interface DiscrepanciesApi {
  /**
   * List discrepancies.
   *
   * The latest first. `total` is always exact.
   *
   * Needs the scope `transaction_read`.
   */
  list(params?: DiscrepanciesListParams, options?: RequestOptions): List<Discrepancy>;
  /**
   * Get a discrepancy.
   *
   * Needs the scope `transaction_read`.
   */
  get(params: string | DiscrepanciesGetParams, options?: RequestOptions): Call<Discrepancy>;
  /**
   * Close a discrepancy.
   *
   * For a discrepancy that a person has investigated: Florin stops asking the provider, and `florin verify` does not name it any more. `outcome` also ends a charge or refund of which the provider can no longer say anything; without it the payment stays as it is. `withdrawn` books what a dispute in another currency has taken. A discrepancy that is closed already is returned unchanged, unless `outcome` ends its operation.
   *
   * The timeline of the payment shows who closed it, with the note. Without `outcome` the payment, its refunds and the ledger
   * stay as they are. With it, a charge or refund whose outcome is unknown ends
   * as it did at the provider, with its amount and its event, in
   * the same transaction. An operation that has ended in another way is refused with `illegal_transition` (409).
   *
   * The scope is that of refunds, so that roles which only take payments cannot close discrepancies. A
   * discrepancy that does not exist is answered with 404. One about a dispute in another currency needs `withdrawn`, what was taken in
   * the payment's currency: it is booked, and until then no refund of the payment is taken (`payment_disputed`).
   *
   * Needs the scope `transaction_refund`.
   */
  close(params: DiscrepancyCloseInput, options?: RequestOptions): Call<Discrepancy>;
}

export interface DisputesApi {
  /**
   * Get a dispute.
   *
   * Also has the draft of the evidence, and what was sent. Events do not have them, because they may be about the payer. A dispute that
   * does not exist is answered with 404, like one of another tenant.
   *
   * Needs the scope `transaction_read`.
   */
  get(params: string | DisputesGetParams, options?: RequestOptions): Call<DisputeDetail>;
  /**
   * List disputes.
   *
   * Newest first. A page by number has the exact `total`; a page by `cursor` holds its place while disputes are created. Under , disputes are not counted: there are no page numbers, and a page may hold fewer rows than `pageSize` although more follow. Continue until `pagination.nextCursor` is null.
   *
   * Needs the scope `transaction_read`.
   */
  list(params?: DisputesListParams, options?: RequestOptions): List<DisputeListItem>;
  /**
   * Draft evidence.
   *
   * Changes the draft of the evidence of an OPEN dispute: texts are merged by name, and null clears a text or a file. `evidenceFields` says what the provider takes. Nothing is sent until it is submitted.
   *
   * `evidenceFields` of the dispute names the fields; a TEXT is given here, a FILE with the next call.
   *
   * Needs the scope `transaction_refund`.
   */
  evidence(params: DisputeEvidenceInput, options?: WriteOptions): Call<DisputeDetail>;
  /**
   * Add a file to the evidence.
   *
   * The body is the file: a PDF, PNG, JPEG or TIFF of at most 10 MB (`app.dispute.file-max-bytes`). It is checked by its content against what the provider takes (type, bytes, pages of a PDF), and kept sealed. It takes the place of a file of the same name.
   *
   * The file is stored while it arrives, and refused with `file_not_accepted` (400) if it is too large or the provider would not take it.
   * The digest of the file is the body for the `Idempotency-Key`.
   *
   * Needs the scope `transaction_refund`.
   */
  file(params: DisputesFileParams & { body: RawBody }, options?: WriteOptions): Call<DisputeFile>;
  /**
   * Submit the evidence.
   *
   * Sends the draft to the provider, once a stage. The dispute is SUBMITTED when the provider has confirmed that (`dispute.updated`). If it refuses the evidence, the dispute stays OPEN with a `failureCode`, and can be submitted again.
   *
   * Needs the scope `transaction_refund`.
   */
  submit(params: string | DisputeSubmitInput, options?: WriteOptions): Call<DisputeDetail>;
  /**
   * Accept a dispute.
   *
   * Tells the provider that the dispute is not contested: the money stays with the payer. It cannot be undone. The dispute is ACCEPTED when the provider has confirmed that (`dispute.updated`).
   *
   * Needs the scope `transaction_refund`.
   */
  accept(params: string | DisputeAcceptInput, options?: WriteOptions): Call<DisputeDetail>;
}

export interface CallbacksApi {
  /**
   * Receive a callback from a provider.
   *
   * Called by a provider to report the outcome of a payment or refund. The body is of any type, up to 256 KiB, in the provider's own format. No Authorization header: the signature is verified with the channel's `webhookSecret`. The callback is stored before it is answered and settled afterwards; a repeated callback gets the same answer. Whatever is wrong, the refusal is the same (401), and failures from one address are limited (429, `app.rate-limit.failures-per-address`).
   *
   * Providers call it, not you: see the providers guide.
   */
  post(params: CallbacksPostParams & { body: RawBody }, options?: RequestOptions): Call<CallbackReceipt>;
  /**
   * Receive a callback at the address without a token.
   *
   * The same, for addresses that were given to providers before channels had a `callbackUrl`.
   */
  postWithoutToken(params: CallbacksPostWithoutTokenParams & { body: RawBody }, options?: RequestOptions): Call<CallbackReceipt>;
}

export interface StatisticsApi {
  /**
   * Get payment totals.
   *
   * Counts and amounts of payments by the UTC day of their creation, and results of charges by the day on which they ended. Always exact.
   *
   * The days in one sum: in all, by status, and by channel.
   *
   * Needs the scope `transaction_read`.
   */
  summary(params?: StatisticsSummaryParams, options?: RequestOptions): Call<StatisticsSummary>;
  /**
   * Get payment totals by day.
   *
   * The figures of the summary for each day, oldest first; at most 366 days.
   *
   * Without `groupBy` every day has a row, also one without payments. With it, there is a row for each channel, status or
   * currency on each day on which it has anything.
   *
   * Needs the scope `transaction_read`.
   */
  series(params?: StatisticsSeriesParams, options?: RequestOptions): List<StatisticsRow>;
  /**
   * Compare the charges of the last 24 hours with the week before.
   *
   * By channel: how charges ended in the last 24 hours, and in the seven days before. A channel without charges in these eight days has no row.
   *
   * Tells whether a channel has become worse: how its charges ended in the last 24 hours, beside the seven days before. Charges are
   * counted by the UTC hour in which they ended, and the hour that has begun is one of the 24. The console names a channel on its home
   * page if its rate has fallen by ten points or more, from 20 charges on.
   *
   *
   *
   * A channel with charges at a provider:
   *
   * Needs the scope `transaction_read`.
   */
  recent(params?: StatisticsRecentParams, options?: RequestOptions): List<RecentCharges>;
}

export interface SellersApi {
  /**
   * Get the seller.
   *
   * How the caller's tenant presents itself to payers and customers; for a PLATFORM_ADMIN also another one.
   *
   * Needs the scope `*`. Needs the user type MERCHANT_ADMIN or PLATFORM_ADMIN.
   */
  get(params: number | SellersGetParams, options?: RequestOptions): Call<Seller>;
  /**
   * Change the seller.
   *
   * What invoices, mails to customers and the pages of payers show of the caller's tenant; for a PLATFORM_ADMIN also of another one. Fields that are left out keep their values.
   *
   * `logo` is a PNG or JPEG file, recognised by its first and last bytes; anything else is refused. So is a placeholder in
   * `mailTexts` for which the mail has no value (list).
   *
   * Needs the scope `*`. Needs the user type MERCHANT_ADMIN or PLATFORM_ADMIN.
   */
  modify(params: number | SellerModifyInput, options?: WriteOptions): Call<Seller>;
}

export interface ClocksApi {
  /**
   * Create a test clock.
   *
   * Only in STANDALONE mode. Customers that name the clock use its time instead of the real time.
   *
   * Needs the scope `subscription_write`.
   */
  create(params: ClockCreateInput, options?: WriteOptions): Call<Clock>;
  /**
   * Advance a test clock.
   *
   * Moves the clock forward by up to ten years. All work that becomes due is done in order, including payments. Responds when the clock has arrived, or after 15 seconds while it is still `ADVANCING`; then poll `/api/clock/detail`.
   *
   * Each step waits until the payments that it began have been settled.
   *
   * Needs the scope `subscription_write`.
   */
  advance(params: ClockAdvanceInput, options?: RequestOptions): Call<Clock>;
  /**
   * Get a test clock.
   *
   * Needs the scope `subscription_read`.
   */
  get(params: number | ClocksGetParams, options?: RequestOptions): Call<Clock>;
  /**
   * List test clocks.
   *
   * Newest first.
   *
   * At most 1,000.
   *
   * Needs the scope `subscription_read`.
   */
  list(params?: ClocksListParams, options?: RequestOptions): List<Clock>;
}

export interface CustomersApi {
  /**
   * Create or update a customer.
   *
   * Without `id` a customer is created, with `id` that customer is updated. The answer is the saved record.
   *
   * An update keeps what it leaves out; `null` clears a field where its description says so. `metadata` changes by key,
   * `metadataReplace` replaces everything.
   *
   * `externalId` is the id that your own system has for the customer; a second customer with the same one is refused with
   * `external_id_taken`.
   *
   * `paymentMethod` is a provider's token for what the customer pays with, never a card number. It is set up as a
   * payment method at the provider of `defaultChannelId`, which the
   * customer must have, and becomes the default once it is `ACTIVE`; the
   * list shows what becomes of it. `null` detaches the default,
   * unless a living subscription names it (`payment_method_in_use`). A channel whose
   * provider keeps no payment methods is refused (`channel_cannot`).
   *
   * Needs the scope `transaction_write`.
   */
  modify(params?: CustomerModifyInput, options?: WriteOptions): Call<Customer>;
  /**
   * Get a customer.
   *
   * By its `id` or by its `externalId`.
   *
   * Needs the scope `transaction_read`.
   */
  get(params?: CustomersGetParams, options?: RequestOptions): Call<Customer>;
  /**
   * Get what a customer has paid.
   *
   * Of all payments of the customer that took money, by currency.
   *
   * What the customer has spent in a currency is `amountCaptured` without `amountRefunded` and `amountDisputed`.
   *
   * Needs the scope `transaction_read`.
   */
  summary(params: number | CustomersSummaryParams, options?: RequestOptions): Call<CustomerSummary>;
  /**
   * List customers.
   *
   * Newest first. A page by number has the exact `total`; a page by `cursor` holds its place while customers are created. Under `name`, `metadata`, customers are not counted: there are no page numbers, and a page may hold fewer rows than `pageSize` although more follow. Continue until `pagination.nextCursor` is null. With `Accept: text/csv` or `Accept: application/x-ndjson` the answer is all rows under the filters, as a stream instead of a page; `X-Total-Count` has their number where a page has a `total`. Refusals use the envelope. The export is recorded in the audit log.
   *
   * Needs the scope `transaction_read`.
   */
  list(params?: CustomersListParams, options?: RequestOptions): List<CustomerListItem>;
  /**
   * Create a link to the customer portal.
   *
   * Returns the URL of a page on which the customer can see and pay invoices and cancel subscriptions at the end of their period. It works for one hour. Also needs the scopes `invoice_read` and `subscription_write`, because the link allows these actions.
   *
   * The page shows invoices with their PDF files and a way to pay them, and subscriptions. Redirect customers to it right
   * after they have signed in to your own site; the URL is shown only this once.
   *
   * Needs the scope `transaction_write`.
   */
  createPortal(params: CustomerPortalInput, options?: RequestOptions): Call<CustomerPortal>;
}

export interface InvoicesApi {
  /**
   * Create an invoice.
   *
   * Creates a DRAFT. It has no number and cannot be paid until it is finalized.
   *
   * It has 1 to 200 lines. The amount of a line is `quantity` × `unitAmount`. The tax of each `taxRate` is computed on the sum
   * of its lines, rounded once and distributed over them. A line with a negative `unitAmount` is a credit; the total must not
   * be negative.
   *
   * Needs the scope `invoice_write`.
   */
  create(params: InvoiceCreateInput, options?: WriteOptions): Call<Invoice>;
  /**
   * Get an invoice.
   *
   * Needs the scope `invoice_read`.
   */
  get(params: number | InvoicesGetParams, options?: RequestOptions): Call<Invoice>;
  /**
   * Get what is left to pay.
   *
   * Of all `OPEN` invoices, by currency. Those that were due before today (UTC) are overdue.
   *
   * Needs the scope `invoice_read`.
   */
  summary(params?: InvoicesSummaryParams, options?: RequestOptions): Call<InvoiceSummary>;
  /**
   * List invoices.
   *
   * Newest first. A page by number has the exact `total`; a page by `cursor` holds its place while invoices are created. Under `currency`, `amountFrom`, `amountTo`, `dueFrom`, `dueTo`, `metadata`, invoices are not counted: there are no page numbers, and a page may hold fewer rows than `pageSize` although more follow. Continue until `pagination.nextCursor` is null. With `Accept: text/csv` or `Accept: application/x-ndjson` the answer is all rows under the filters, as a stream instead of a page; `X-Total-Count` has their number where a page has a `total`. Refusals use the envelope. The export is recorded in the audit log.
   *
   * Needs the scope `invoice_read`.
   */
  list(params?: InvoicesListParams, options?: RequestOptions): List<InvoiceListItem>;
  /**
   * Change a draft.
   *
   * Changes the given fields; `lines` replace all lines. The customer and the currency cannot change. Only a DRAFT can be changed. No event is sent: `invoice.finalized` shows the result.
   *
   * Needs the scope `invoice_write`.
   */
  modify(params: number | InvoiceModifyInput, options?: RequestOptions): Call<Invoice>;
  /**
   * Finalize an invoice.
   *
   * Gives a DRAFT its number and makes it OPEN. An invoice with a total of 0 becomes PAID.
   *
   * Needs the scope `invoice_write`.
   */
  finalize(params: number | InvoiceFinalizeInput, options?: RequestOptions): Call<Invoice>;
  /**
   * Pay an invoice.
   *
   * Creates a payment on a channel, for the remaining amount or a part of it. The outcome of the payment settles the invoice. On a channel without a provider, set the outcome with an update of the payment.
   *
   * An `UNCOLLECTIBLE` invoice can be paid too. The answer has the invoice and the id of the
   * payment. Its amount is reserved on the invoice from then on: payments that
   * together would exceed it are refused with `payment_exceeds_invoice`, however many
   * arrive at once.
   *
   * The channel is `channelId`, else the invoice's, else the customer's default. If it has a provider, the provider is called;
   * otherwise the payment waits for its
   * update. A payment that
   * create makes with the invoice's id as `invoiceId` does the
   * same.
   *
   * Send an `Idempotency-Key` with every payment; keys of this endpoint are separate from all others and kept for a week.
   *
   * Needs the scope `invoice_write`.
   */
  pay(params: number | InvoicePayInput, options?: WriteOptions): Call<InvoicePayResult>;
  /**
   * Mail an invoice to its customer.
   *
   * Mails an open invoice, as a reminder once it is overdue, or the receipt of a paid one. Also for tenants without `customerMails`. Not for test invoices.
   *
   * Mails an invoice to its customer, in the language and with the texts of the
   * tenant: an open one to be paid, with the text `reminder` once it is overdue, and a paid one as a receipt. The mail is sent
   * within seconds, and tried again if the mail server does not take it. Tenants without `customerMails` can send it too;
   * about test invoices no mails are sent.
   *
   * Needs the scope `invoice_write`.
   */
  send(params: number | InvoiceSendInput, options?: WriteOptions): Call<InvoiceSendResult>;
  /**
   * Void an invoice.
   *
   * Makes the invoice VOID: it can no longer be paid. With `uncollectible` it becomes UNCOLLECTIBLE and can still be paid. Refused while a payment is in progress.
   *
   * Its number stays taken. An `UNCOLLECTIBLE` invoice that is paid after all becomes `PAID`. One that has been paid in part
   * cannot become `VOID`, only `UNCOLLECTIBLE`.
   *
   * Needs the scope `invoice_write`.
   */
  void(params: number | InvoiceVoidInput, options?: RequestOptions): Call<Invoice>;
  /**
   * Render an invoice.
   *
   * Returns an HTML page or a PDF file instead of the JSON envelope. Errors use the envelope. The `ETag` changes with the content: with it in `If-None-Match` the response is 304 without a body. PDFs are rendered in turns by tenant; a request is refused with `overloaded` when too many wait, and with `rendering_failed` after `app.invoice.pdf-timeout`.
   *
   * The page needs no script and loads nothing.
   *
   * Needs the scope `invoice_read`.
   */
  print(params: number | InvoicesPrintParams, options?: RequestOptions): Call<Response>;
}

export interface PlansApi {
  /**
   * Create or update a plan.
   *
   * Without `id` a plan is created, with `id` that plan is updated. The answer is the saved record. A plan with subscriptions cannot change `currency`, `interval` and `intervalCount`.
   *
   * An update keeps what it leaves out. A new `amount` applies from the next period of each subscription. The refusal is
   * `plan_in_use`.
   *
   * Needs the scope `subscription_write`.
   */
  modify(params?: PlanModifyInput, options?: WriteOptions): Call<Plan>;
  /**
   * Get a plan.
   *
   * Needs the scope `subscription_read`.
   */
  get(params: number | PlansGetParams, options?: RequestOptions): Call<Plan>;
  /**
   * List plans.
   *
   * Newest first. `total` is exact.
   *
   * Needs the scope `subscription_read`.
   */
  list(params?: PlansListParams, options?: RequestOptions): List<Plan>;
}

export interface SubscriptionsApi {
  /**
   * Subscribe a customer to a plan.
   *
   * Without a trial, the first billing period begins now and is invoiced at once; the invoice is paid automatically. With an `Idempotency-Key`, a repeated request gets the first answer.
   *
   * A channel must be named by the subscription, the plan or the customer.
   *
   * Needs the scope `subscription_write`.
   */
  create(params: SubscriptionCreateInput, options?: WriteOptions): Call<Subscription>;
  /**
   * Change a subscription.
   *
   * Changes plan and quantity, with proration of the current period, and the end, the channel, the payment method and the metadata.
   *
   * Another plan or quantity applies at once, and the rest of the period is
   * prorated; with `atPeriodEnd`, and where the new plan has
   * another interval, it applies from the next period. `metadata` changes by key; `metadataReplace` replaces everything.
   *
   * Needs the scope `subscription_write`.
   */
  update(params: number | SubscriptionUpdateInput, options?: WriteOptions): Call<Subscription>;
  /**
   * Pause a subscription.
   *
   * No further billing period begins until the subscription is resumed. The current period is not refunded. Refused while `cancelAtPeriodEnd` is set.
   *
   * Only an `ACTIVE` subscription can be paused.
   *
   * Needs the scope `subscription_write`.
   */
  pause(params: number | SubscriptionIdInput, options?: WriteOptions): Call<Subscription>;
  /**
   * Resume a subscription.
   *
   * Within the paid period, the subscription continues unchanged. After it, a new period begins now, and all later periods are counted from now.
   *
   * Needs the scope `subscription_write`.
   */
  resume(params: number | SubscriptionIdInput, options?: WriteOptions): Call<Subscription>;
  /**
   * Cancel a subscription.
   *
   * At once, or at the end of the current period. Nothing is refunded automatically; use refunds for that.
   *
   * An update with `cancelAtPeriodEnd` false takes a later end back. Changes that were charged and not yet invoiced are
   * invoiced.
   *
   * Needs the scope `subscription_write`.
   */
  cancel(params: number | SubscriptionCancelInput, options?: WriteOptions): Call<Subscription>;
  /**
   * Preview the next invoice.
   *
   * The next invoice, optionally as it would be after a change of plan or quantity. Nothing is written.
   *
   * `null` if there is none: the subscription is paused, or ends before. Tax and later changes are not included.
   *
   * Needs the scope `subscription_read`.
   */
  preview(params: number | SubscriptionsPreviewParams, options?: RequestOptions): Call<InvoicePreview | null>;
  /**
   * Get a subscription.
   *
   * Needs the scope `subscription_read`.
   */
  get(params: number | SubscriptionsGetParams, options?: RequestOptions): Call<Subscription>;
  /**
   * Get subscription totals.
   *
   * What subscriptions cost in a month now, and how many began and ended on some days (UTC), by currency.
   *
   * Needs the scope `subscription_read`.
   */
  summary(params?: SubscriptionsSummaryParams, options?: RequestOptions): Call<SubscriptionSummary>;
  /**
   * List subscriptions.
   *
   * Newest first. A page by number has the exact `total`; a page by `cursor` holds its place while subscriptions are created. Under `currency`, `metadata`, subscriptions are not counted: there are no page numbers, and a page may hold fewer rows than `pageSize` although more follow. Continue until `pagination.nextCursor` is null. With `Accept: text/csv` or `Accept: application/x-ndjson` the answer is all rows under the filters, as a stream instead of a page; `X-Total-Count` has their number where a page has a `total`. Refusals use the envelope. The export is recorded in the audit log.
   *
   * Needs the scope `subscription_read`.
   */
  list(params?: SubscriptionsListParams, options?: RequestOptions): List<Subscription>;
}

export interface CheckoutsApi {
  /**
   * Create a checkout.
   *
   * Creates a page on which a payer pays an amount or an invoice, and returns its URL. The payer chooses a channel; the payment is created in the name of the user who created the checkout, and its events are sent as usual.
   *
   * Send the URL to the payer, or redirect the payer's browser to it.
   *
   * Needs the scope `transaction_write`.
   */
  create(params?: CheckoutCreateInput, options?: WriteOptions): Call<Checkout>;
  /**
   * Get a checkout.
   *
   * Needs the scope `transaction_read`.
   */
  get(params: number | CheckoutsGetParams, options?: RequestOptions): Call<Checkout>;
  /**
   * List checkouts.
   *
   * Newest first. A page by number has the exact `total`; a page by `cursor` holds its place while checkouts are created. Under `status`, checkouts are not counted: there are no page numbers, and a page may hold fewer rows than `pageSize` although more follow. Continue until `pagination.nextCursor` is null.
   *
   * Needs the scope `transaction_read`.
   */
  list(params?: CheckoutsListParams, options?: RequestOptions): List<CheckoutListItem>;
  /**
   * Close a checkout.
   *
   * The page is no longer shown. Refused while a payment is in progress, and when it is paid. Closing it twice is no error.
   *
   * Needs the scope `transaction_write`.
   */
  expire(params: number | CheckoutExpireInput, options?: RequestOptions): Call<Checkout>;
}

export interface SearchApi {
  /**
   * Search payments, customers, invoices and subscriptions.
   *
   * Finds the newest 20 of each kind: by words of a description and by values of metadata, by the name or mail address of the customer, by an amount as people write it (`19.99`, `1.000,50 EUR`), by an id or the last four to eight characters of a payment's id, by the number of an invoice, by the provider's reference, and by the last four digits of a kept card. Of each kind only with the scope to read it. Follows changes within about five seconds.
   *
   * Needs a Bearer access token or a developer key.
   */
  find(params: SearchFindParams, options?: RequestOptions): Call<SearchResult>;
}

export interface FinancesApi {
  /**
   * Save payments for finance.
   *
   * Returns a file instead of the JSON envelope: amounts in major units, names of customers, headers in the chosen language. Errors use the envelope. The export is recorded in the audit log.
   *
   * Needs the scope `transaction_read`.
   */
  payments(params?: FinancesPaymentsParams, options?: RequestOptions): Call<Response>;
  /**
   * Save refunds for finance.
   *
   * Returns a file instead of the JSON envelope: amounts in major units, names of customers, headers in the chosen language. Errors use the envelope. The export is recorded in the audit log.
   *
   * Needs the scope `transaction_read`.
   */
  refunds(params?: FinancesRefundsParams, options?: RequestOptions): Call<Response>;
  /**
   * Save invoices for finance.
   *
   * Returns a file instead of the JSON envelope: amounts in major units, names of customers, headers in the chosen language. Errors use the envelope. The export is recorded in the audit log.
   *
   * Needs the scope `invoice_read`.
   */
  invoices(params?: FinancesInvoicesParams, options?: RequestOptions): Call<Response>;
  /**
   * Save the ledger for finance.
   *
   * Returns a file instead of the JSON envelope: amounts in major units, names of customers, headers in the chosen language. Errors use the envelope. The export is recorded in the audit log. Each transfer is a row, oldest first, with the accounts that it debits and credits.
   *
   * `startDate` and `endDate` are UTC days, as in the ledger; the times are shown in `timeZone`.
   *
   * Needs the scope `transaction_read`.
   */
  ledger(params?: FinancesLedgerParams, options?: RequestOptions): Call<Response>;
  /**
   * Save taxes for finance.
   *
   * Returns a file instead of the JSON envelope: amounts in major units, names of customers, headers in the chosen language. Errors use the envelope. The export is recorded in the audit log. Net and tax of all finalized invoices that are not VOID, by month, country of the customer and tax rate. Credits, which are lines below zero, have rows of their own. The month is that in which the invoice was finalized, in `timeZone`.
   *
   * The country is that of the customer's present address. A rate is empty where a line has none, or its tax was given.
   *
   * Needs the scope `invoice_read`.
   */
  taxes(params?: FinancesTaxesParams, options?: RequestOptions): Call<Response>;
}

export interface SystemApi {
  /**
   * Get the health of the system.
   *
   * Nodes, the database with its standbys, work that is due, backups and versions, as of now. For load balancers there is `GET /health/ready`, for alerts `/metrics`.
   *
   * Any node answers for all: each writes into the database every ten seconds that it runs. The account of Florin reads the
   * standbys once it may: `grant pg_monitor to florin`, as PostgreSQL's superuser.
   *
   * Needs the scope `*`. Needs the user type PLATFORM_ADMIN.
   */
  health(options?: RequestOptions): Call<SystemHealth>;
}

/** Event types, with what `data.object` of each is. */
export interface EventObjects {
  'transaction.created': Transaction;
  'transaction.processing': Transaction;
  'transaction.succeeded': Transaction;
  'transaction.failed': Transaction;
  'transaction.refunded': Transaction;
  'transaction.cancelled': Transaction;
  'transaction.action_required': Transaction;
  'refund.created': Refund;
  'refund.succeeded': Refund;
  'refund.failed': Refund;
  'subscription.created': Subscription;
  'subscription.updated': Subscription;
  'subscription.cancelled': Subscription;
  'subscription.expired': Subscription;
  'invoice.created': Invoice;
  'invoice.finalized': Invoice;
  'invoice.paid': InvoiceInPaymentEvent;
  'invoice.payment_failed': InvoiceInPaymentEvent;
  'invoice.overdue': Invoice;
  'invoice.voided': Invoice;
  'invoice.uncollectible': Invoice;
  'customer.created': Customer;
  'customer.updated': Customer;
  'channel.disabled': ChannelInEvent;
  'webhook.disabled': WebhookEndpoint;
  'payment_method.action_required': PaymentMethod;
  'payment_method.attached': PaymentMethod;
  'payment_method.failed': PaymentMethod;
  'payment_method.expiring': PaymentMethod;
  'payment_method.expired': PaymentMethod;
  'payment_method.updated': PaymentMethod;
  'payment_method.revoked': PaymentMethod;
  'payment_method.detached': PaymentMethod;
  'transaction.authorized': Transaction;
  'transaction.captured': TransactionWithCapture;
  'transaction.capture_failed': TransactionWithCapture;
  'transaction.authorization_expiring': Transaction;
  'discrepancy.opened': Discrepancy;
  'discrepancy.closed': Discrepancy;
  'dispute.created': Dispute;
  'dispute.updated': Dispute;
  'dispute.due_soon': DisputeDueSoon;
  'dispute.won': Dispute;
  'dispute.lost': Dispute;
  'dispute.closed': Dispute;
  'dispute.funds_withdrawn': Dispute;
  'dispute.funds_reinstated': Dispute;
  'transaction.fraud_warning': Transaction;
  'invoice.reopened': Invoice;
  'webhook.ping': WebhookPing;
}

export interface AccountBalance {
  /** true: live. false: a test record. */
  livemode: boolean;
  currency: string;
  account: LedgerAccount | (string & {});
  /** The sum of the debits, in minor units, as decimal digits. */
  debit: string;
  /** The sum of the credits, in the same form. */
  credit: string;
  /** `debit` minus `credit`; begins with `-` if the credits are higher. */
  balance: string;
}

export interface AuditEntry {
  /** `aud_` and a time-ordered body. */
  id: string;
  /** In whose log the entry is. null: the platform's own tenant. */
  tenantId: string | null;
  /** By the database's clock. */
  time: string;
  action: "tenant.create" | "tenant.update" | "user.create" | "user.update" | "user.request_password_reset" | "user.reset_password" | "user.change_password" | "user.add_second_factor" | "user.remove_second_factor" | "user.add_passkey" | "user.update_passkey" | "user.remove_passkey" | "user.regenerate_recovery_codes" | "session.step_up" | "session.login" | "session.login_refused" | "session.logout" | "session.revoke" | "key.create" | "key.rotate" | "key.revoke" | "device.approve" | "device.deny" | "access.refuse" | "webhook.create" | "webhook.update" | "webhook.remove" | "webhook.rotate_secret" | "webhook.ping" | "webhook.replay" | "delivery.replay" | "inbox.create" | "channel.create" | "channel.update" | "transaction.update" | "refund.create" | "discrepancy.close" | "clock.create" | "clock.advance" | "customer.create" | "customer.update" | "invoice.create" | "invoice.update" | "invoice.finalize" | "invoice.pay" | "invoice.void" | "plan.create" | "plan.update" | "subscription.create" | "subscription.update" | "subscription.pause" | "subscription.resume" | "subscription.cancel" | "checkout.create" | "checkout.expire" | "checkout.pay" | "portal.create" | "transaction.export" | "refund.export" | "customer.export" | "invoice.export" | "subscription.export" | "event.export" | "delivery.export" | "audit.export" | "audit.expire" | "session.end_after_reuse" | "audit.begin" | "dispute.close" | "backup.create" | "payment_method.setup" | "payment_method.default" | "payment_method.detach" | "invoice.send" | "transaction.capture" | "transaction.release" | "dispute.evidence" | "dispute.file" | "dispute.submit" | "dispute.accept" | "finance.export" | (string & {});
  /** The part of `action` before the dot. */
  recordType: string;
  /** The record, as its own list shows it; null: the action concerns no single record. */
  recordId: string | null;
  /** Who did it; null: nobody who was signed in, or the service itself. */
  userId: number | null;
  /** The user name at that time. */
  userName: string | null;
  /** How the caller was authenticated. `device_code`: a program whose login the user approved. `system`: the service itself. */
  by: "session" | "key" | "password" | "passkey" | "reset_token" | "device_code" | "nobody" | "system" | (string & {});
  /** The developer key that was used. */
  keyId: number | null;
  /** The caller's IP address. */
  address: string | null;
  /** The `X-Request-Id` of the request. */
  requestId: string | null;
  /** Each changed field with `before` and `after`; a created record has only `after`. Secrets are `***`. */
  changes: Record<string, unknown>;
  /** Further facts about the action. */
  details: Record<string, unknown>;
  /** The number of the entry in the log of its tenant; null for about a second after the change. */
  seq: number | null;
  /** When the entry was numbered and hashed, about a second after the change; null until then, and where an older release did it. */
  chainedTime: string | null;
  /** SHA-256 over the previous hash, `chainedTime` and this entry, in hex; null like `seq`. */
  hash: string | null;
}

export interface AuditExportParams {
  /** One JSON object per line, or CSV. */
  format?: "ndjson" | "csv" | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  action?: "tenant.create" | "tenant.update" | "user.create" | "user.update" | "user.request_password_reset" | "user.reset_password" | "user.change_password" | "user.add_second_factor" | "user.remove_second_factor" | "user.add_passkey" | "user.update_passkey" | "user.remove_passkey" | "user.regenerate_recovery_codes" | "session.step_up" | "session.login" | "session.login_refused" | "session.logout" | "session.revoke" | "key.create" | "key.rotate" | "key.revoke" | "device.approve" | "device.deny" | "access.refuse" | "webhook.create" | "webhook.update" | "webhook.remove" | "webhook.rotate_secret" | "webhook.ping" | "webhook.replay" | "delivery.replay" | "inbox.create" | "channel.create" | "channel.update" | "transaction.update" | "refund.create" | "discrepancy.close" | "clock.create" | "clock.advance" | "customer.create" | "customer.update" | "invoice.create" | "invoice.update" | "invoice.finalize" | "invoice.pay" | "invoice.void" | "plan.create" | "plan.update" | "subscription.create" | "subscription.update" | "subscription.pause" | "subscription.resume" | "subscription.cancel" | "checkout.create" | "checkout.expire" | "checkout.pay" | "portal.create" | "transaction.export" | "refund.export" | "customer.export" | "invoice.export" | "subscription.export" | "event.export" | "delivery.export" | "audit.export" | "audit.expire" | "session.end_after_reuse" | "audit.begin" | "dispute.close" | "backup.create" | "payment_method.setup" | "payment_method.default" | "payment_method.detach" | "invoice.send" | "transaction.capture" | "transaction.release" | "dispute.evidence" | "dispute.file" | "dispute.submit" | "dispute.accept" | "finance.export" | undefined;
  /** Only entries about records of this type, such as `channel`. */
  recordType?: string | undefined;
  /** Only entries about this record. Needs `recordType`. */
  recordId?: string | undefined;
  /** Only what this user did. */
  userId?: number | undefined;
  /** Only the log of this tenant; 0 is the platform. */
  tenantId?: number | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
}

export interface AuditListParams {
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. For pages `cursor` is better, because it notices a changed filter. */
  after?: string | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  action?: "tenant.create" | "tenant.update" | "user.create" | "user.update" | "user.request_password_reset" | "user.reset_password" | "user.change_password" | "user.add_second_factor" | "user.remove_second_factor" | "user.add_passkey" | "user.update_passkey" | "user.remove_passkey" | "user.regenerate_recovery_codes" | "session.step_up" | "session.login" | "session.login_refused" | "session.logout" | "session.revoke" | "key.create" | "key.rotate" | "key.revoke" | "device.approve" | "device.deny" | "access.refuse" | "webhook.create" | "webhook.update" | "webhook.remove" | "webhook.rotate_secret" | "webhook.ping" | "webhook.replay" | "delivery.replay" | "inbox.create" | "channel.create" | "channel.update" | "transaction.update" | "refund.create" | "discrepancy.close" | "clock.create" | "clock.advance" | "customer.create" | "customer.update" | "invoice.create" | "invoice.update" | "invoice.finalize" | "invoice.pay" | "invoice.void" | "plan.create" | "plan.update" | "subscription.create" | "subscription.update" | "subscription.pause" | "subscription.resume" | "subscription.cancel" | "checkout.create" | "checkout.expire" | "checkout.pay" | "portal.create" | "transaction.export" | "refund.export" | "customer.export" | "invoice.export" | "subscription.export" | "event.export" | "delivery.export" | "audit.export" | "audit.expire" | "session.end_after_reuse" | "audit.begin" | "dispute.close" | "backup.create" | "payment_method.setup" | "payment_method.default" | "payment_method.detach" | "invoice.send" | "transaction.capture" | "transaction.release" | "dispute.evidence" | "dispute.file" | "dispute.submit" | "dispute.accept" | "finance.export" | undefined;
  /** Only entries about records of this type, such as `channel`. */
  recordType?: string | undefined;
  /** Only entries about this record. Needs `recordType`. */
  recordId?: string | undefined;
  /** Only what this user did. */
  userId?: number | undefined;
  /** Only the log of this tenant; 0 is the platform. */
  tenantId?: number | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
}

export interface CallbackReceipt {
  /** Always true: the callback is stored, now or by an earlier request, and is settled shortly. */
  received: boolean;
}

export interface CallbacksPostParams {
  /** The channel's `id`, or its `code` if at most 50 channels with a provider, of all tenants, share it. Digits alone are always an id. */
  channel: string;
  /** The unguessable part of the channel's `callbackUrl`. */
  token: string;
}

export interface CallbacksPostWithoutTokenParams {
  /** The channel's `id`, or its `code` if at most 50 channels with a provider, of all tenants, share it. Digits alone are always an id. */
  channel: string;
}

export interface Capture {
  /** `cap_` and a time-ordered part. */
  id: string;
  transactionId: string;
  /** In minor units. */
  amount: number;
  /** Whether nothing is captured after it: what is left is released. */
  final: boolean;
  status: CaptureStatus | (string & {});
  /** The provider's id of the capture. */
  providerReference: string | null;
  failureCode: string | null;
  createdTime: string;
  updatedTime: string;
}

export type CaptureAbility = "NONE" | "SINGLE" | "MULTIPLE";

export type CaptureMethod = "AUTOMATIC" | "MANUAL";

export type CaptureStatus = "PENDING" | "PROCESSING" | "SUCCESS" | "FAILED";

export interface ChangePasswordInput {
  oldPassword: string;
  /** At least 6 characters (`app.password.min-length`), at most 1024 bytes, not a commonly used password. Spaces in a row count as one, and Unicode forms of a letter are the same. */
  newPassword: string;
}

export interface Channel {
  id: number;
  name: string;
  code: string;
  type: "ONLINE" | "OFFLINE" | (string & {});
  /** Comma-separated ISO 4217 codes. */
  currency: string;
  country: string;
  state: boolean;
  /** null: a channel of the platform, usable by every tenant. */
  tenantId: string | null;
  provider: string | null;
  /** true: live. false: a test record. */
  livemode: boolean;
  fallbackChannelIds: number[];
  /** What payers read on the statement of their card or account. */
  statementDescriptor: string | null;
  /** How often a payment that is authorized first can be captured: not at all, once, or more. */
  capture: CaptureAbility | (string & {});
  /** The address to give to the provider for its callbacks. null without a provider, and for callers who could not change the channel or lack the scope `channel_read`. */
  callbackUrl: string | null;
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

export interface ChannelCheck {
  id: number;
  /** The events that Florin reads and the provider does not send to `callbackUrl`: add them to the endpoint there. Null: it is not known, because the provider sends everything by itself or does not answer, the API key may not tell, the channel has no `webhookSecret`, or the caller could not change it. */
  unsentEvents: string[] | null;
}

export interface ChannelInEvent {
  id: number;
  name: string;
  code: string;
  type: "ONLINE" | "OFFLINE" | (string & {});
  /** Comma-separated ISO 4217 codes. */
  currency: string;
  country: string;
  state: boolean;
  /** null: a channel of the platform, usable by every tenant. */
  tenantId: string | null;
  provider: string | null;
  /** true: live. false: a test record. */
  livemode: boolean;
  fallbackChannelIds: number[];
  /** What payers read on the statement of their card or account. */
  statementDescriptor: string | null;
  /** How often a payment that is authorized first can be captured: not at all, once, or more. */
  capture: CaptureAbility | (string & {});
  createdTime: string;
}

export interface ChannelListItem {
  id: number;
  name: string;
  code: string;
  type: "ONLINE" | "OFFLINE" | (string & {});
  /** Comma-separated ISO 4217 codes. */
  currency: string;
  country: string;
  state: boolean;
  /** null: a channel of the platform, usable by every tenant. */
  tenantId: string | null;
  provider: string | null;
  /** true: live. false: a test record. */
  livemode: boolean;
  fallbackChannelIds: number[];
  /** What payers read on the statement of their card or account. */
  statementDescriptor: string | null;
  /** How often a payment that is authorized first can be captured: not at all, once, or more. */
  capture: CaptureAbility | (string & {});
  /** The address to give to the provider for its callbacks. null without a provider, and for callers who could not change the channel or lack the scope `channel_read`. */
  callbackUrl: string | null;
  createdTime: string;
}

/** Without `id` it creates, and needs `name`, `code`, `type`, `currency`, `country`, `state`. */
export interface ChannelModifyInput {
  /** Omit to create. */
  id?: number | null | undefined;
  /** One line of 1 to 200 characters, without control characters. */
  name?: string | null | undefined;
  /** Unique within its tenant. */
  code?: string | null | undefined;
  /** ONLINE: real-time processing. OFFLINE: bank and wire transfers. */
  type?: "ONLINE" | "OFFLINE" | null | undefined;
  /** The ISO 4217 codes that this channel accepts, comma-separated: `USD,EUR`. */
  currency?: string | null | undefined;
  /** A country code of ISO 3166-1 alpha-2, such as US. */
  country?: string | null | undefined;
  /** The provider's API key. Stored encrypted, never returned. An update without it keeps it; an empty string clears it. */
  apiKey?: string | null | undefined;
  /** The provider's API secret. Stored encrypted, never returned. An update without it keeps it; an empty string clears it. */
  apiSecret?: string | null | undefined;
  /** The secret with which Florin verifies the provider's callbacks. Stored encrypted, never returned. An update without it keeps it; an empty string clears it. */
  webhookSecret?: string | null | undefined;
  /** true: active and accepting payments. */
  state?: boolean | null | undefined;
  /** The provider that takes the money. Without one, Florin only records payments, and updates change their status. An update without this field keeps it; null clears it. */
  provider?: "sandbox" | "stripe" | "mollie" | null | undefined;
  /** Whether the channel takes live payments (true) or test payments (false). Decided at creation, never changed. Default: the mode of the key; for a session, false with the provider `sandbox`, true otherwise. With another provider, false needs the API key of that provider's test mode. */
  livemode?: boolean | null | undefined;
  /** Channels that Florin tries in this order after a definite failure that another channel may not have. An update without this field keeps them. */
  fallbackChannelIds?: number[] | null | undefined;
  /** What payers read on the statement of their card or account, where the provider takes it. Default of its payments. An update without this field keeps it; null clears it. */
  statementDescriptor?: string | null | undefined;
  /** How the account at the provider captures payments that are authorized first. SINGLE: once, and the rest is released. MULTIPLE: several times, where the account may. NONE: payments are only captured at once. Default: SINGLE where the provider can. An update without this field keeps it. */
  capture?: CaptureAbility | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface ChannelsGetParams {
  /** The channel. */
  id: number;
}

export interface ChannelsListParams {
  /** Only channels for live (true) or for test (false) payments. Default: both. */
  livemode?: boolean | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
}

export interface Checkout {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** OPEN: it can be paid. PROCESSING: a payment is in progress, or waits for its capture. EXPIRED: its time is over, it was closed, or its invoice can no longer be paid. After a payment that failed it is OPEN again. */
  status: "OPEN" | "PROCESSING" | "PAID" | "EXPIRED" | (string & {});
  /** The URL of the payer's page. It is a secret: without a login, the page shows the purchase, and payments can be made and given up on it. null when the checkout is EXPIRED, and for callers without `transaction_write`. */
  url: string | null;
  /** In minor units. null: the remaining amount of the invoice. */
  amount: number | null;
  currency: string;
  invoiceId: number | null;
  channelIds: number[];
  captureMethod: CaptureMethod | (string & {});
  customerId: number | null;
  description: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  returnUrl: string | null;
  /** The payment that has paid the amount; otherwise the newest one that was made on the page. */
  transactionId: string | null;
  /** What payments took although the amount was paid already, as far as no refund returns it: refund those payments. In minor units. Always 0 for an invoice, which has an amount of its own. */
  amountToReturn: number;
  /** The user who created it, and in whose name its payments are created. */
  userId: number;
  expiresTime: string;
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

/** Needs `amount`, `currency` and `channelIds`, or `invoiceId`. */
export interface CheckoutCreateInput {
  /** In minor units (cents), 1 to 9007199254740991. Not with `invoiceId`. */
  amount?: number | null | undefined;
  /** With `amount`. Every channel must support it. */
  currency?: string | null | undefined;
  /** Instead of `amount` and `currency`: the page shows this invoice and takes its remaining amount. Also needs the scope `invoice_write`. */
  invoiceId?: number | null | undefined;
  /** The channels that the payer can choose from, shown by name in this order. All must have the same mode. Default for an invoice: its channel, or its customer's default channel. */
  channelIds?: number[] | null | undefined;
  /** MANUAL: what the payer pays is only authorized, and `POST /api/transaction/capture` takes it. Every channel must be able to. Default: AUTOMATIC. */
  captureMethod?: CaptureMethod | null | undefined;
  /** Where the page links to when the payment has ended. */
  returnUrl?: string | null | undefined;
  /** What the payment is for: shown on the page, and copied to the payment. Not with `invoiceId`. */
  description?: string | null | undefined;
  /** A customer of this service or of another system, copied to the payment. Not with `invoiceId`. */
  customerId?: number | null | undefined;
  /** When the page expires: at least a minute and at most 366 days from now. Default: 24 hours from now; for an invoice 30 days. */
  expiresTime?: string | null | undefined;
  /** The same in seconds from now, 60 to 31622400. Not together with `expiresTime`. */
  expiresIn?: number | null | undefined;
  /** Your own data: at most 16 KiB of JSON, 8 levels, 50 keys, numbers up to 2^53 − 1. Returned as it was sent. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface CheckoutExpireInput {
  /** The checkout. */
  id: number;
}

export interface CheckoutListItem {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** OPEN: it can be paid. PROCESSING: a payment is in progress, or waits for its capture. EXPIRED: its time is over, it was closed, or its invoice can no longer be paid. After a payment that failed it is OPEN again. */
  status: "OPEN" | "PROCESSING" | "PAID" | "EXPIRED" | (string & {});
  /** The URL of the payer's page. It is a secret: without a login, the page shows the purchase, and payments can be made and given up on it. null when the checkout is EXPIRED, and for callers without `transaction_write`. */
  url: string | null;
  /** In minor units. null: the remaining amount of the invoice. */
  amount: number | null;
  currency: string;
  invoiceId: number | null;
  channelIds: number[];
  captureMethod: CaptureMethod | (string & {});
  customerId: number | null;
  description: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  returnUrl: string | null;
  /** The payment that has paid the amount; otherwise the newest one that was made on the page. */
  transactionId: string | null;
  /** What payments took although the amount was paid already, as far as no refund returns it: refund those payments. In minor units. Always 0 for an invoice, which has an amount of its own. */
  amountToReturn: number;
  /** The user who created it, and in whose name its payments are created. */
  userId: number;
  expiresTime: string;
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
}

export interface CheckoutsGetParams {
  /** The checkout. */
  id: number;
}

export interface CheckoutsListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** Only checkouts of this invoice. */
  invoiceId?: number | undefined;
  /** Only checkouts of this customer. */
  customerId?: number | undefined;
  /** true: only checkouts with an `amountToReturn`. */
  toReturn?: boolean | undefined;
  status?: "OPEN" | "PROCESSING" | "PAID" | "EXPIRED" | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface Clock {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  name: string;
  /** The current time of the clock. */
  nowTime: string;
  /** ADVANCING: moving to `toTime`, from one due time to the next. */
  state: "READY" | "ADVANCING" | (string & {});
  /** The time to which it advances; null: it is READY. */
  toTime: string | null;
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

export interface ClockAdvanceInput {
  /** The clock. */
  id: number;
  /** The new time: not before the current time of the clock, and at most ten years after it. */
  toTime: string;
}

export interface ClockCreateInput {
  /** One line of 1 to 200 characters, without control characters. */
  name: string;
  /** The initial time, such as `2026-01-31T00:00:00Z`. Default: the real time. */
  nowTime?: string | null | undefined;
  /** Whether it is live (true) or for tests (false); never changes. Default: the mode of the key; for a session test. */
  livemode?: boolean | null | undefined;
}

export interface ClocksGetParams {
  /** The clock. */
  id: number;
}

export interface ClocksListParams {
  /** Only live (true) or test (false) clocks. Default: both. */
  livemode?: boolean | undefined;
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
}

export interface ConsoleProfile {
  userId: number;
  userName: string;
  email: string;
  userType: "PLATFORM_ADMIN" | "MERCHANT_ADMIN" | "MERCHANT_USER" | (string & {});
  /** null: the platform's own tenant. */
  tenantId: string | null;
  roles: string[];
  /** The permissions of this user. */
  scopes: ("transaction_write" | "transaction_read" | "transaction_refund" | "user_write" | "user_read" | "channel_read" | "channel_write" | "invoice_read" | "invoice_write" | "subscription_read" | "subscription_write" | "webhook_read" | "webhook_write" | (string & {}))[];
  /** Whether the user has a second factor. */
  secondFactor: boolean;
  createdTime: string;
  /** null: the platform's own tenant. */
  tenantName: string | null;
  /** Whether the user holds every permission, as administrators do. */
  holdsAll: boolean;
  /** true: nothing can be done before a second factor is enrolled. */
  mustEnrol: boolean;
  /** STANDALONE or CLUSTER. */
  deploymentMode: string;
  /** Whether channels may name the sandbox. */
  sandboxEnabled: boolean;
  /** Whether there is a channel for live payments that the user can use. Until then the console starts in Test. */
  hasLiveChannel: boolean;
  /** Whether the user's tenant has an active key for live records. */
  hasLiveKey: boolean;
  /** Names of up to 20 active channels for live payments from whose provider no callback has arrived in the last 30 days. Empty without the scope `channel_read`. */
  channelsWithoutCallback: string[];
  /** Whether mail is sent (`app.mail.url`), not only written into files. */
  sendsMail: boolean;
  /** When the certificate of `app.public-url` ends, as it was read over the network within the last day. null: it has none or could not be read, or the user is no platform administrator. */
  certificateEndTime: string | null;
  /** How old the last proven backup may be: `app.backup.expected`. null: none is expected, or the user is no platform administrator. */
  backupExpectedSeconds: number | null;
  /** How many requests this process has refused since its start because nobody has their developer key. They are in no request log. null: the user is no platform administrator. */
  unknownKeyRequests: number | null;
  /** How browsers and providers reach the service: `app.public-url`. */
  publicUrl: string;
}

export interface CreatedInbox {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** Whether signatures are verified. */
  hasSecret: boolean;
  createdTime: string;
  /** When the inbox and its messages are deleted. */
  expiresTime: string;
  /** The URL to post to. Returned only here, once. */
  url: string;
  /** The last part of `url`. */
  token: string;
}

export interface CurrentDeveloperKey {
  id: number;
  /** First four characters, `...`, last four. */
  skMasked: string;
  /** true: for live records. false: for test records. */
  livemode: boolean;
  /** Comma-separated scope names. */
  scope: string;
  /** 1: active. 0: revoked. */
  state: number;
  name: string | null;
  createdTime: string;
  /** null when never updated. */
  updatedTime: string | null;
  /** null: the key never expires. */
  expiresTime: string | null;
  /** Accurate to one minute; null when never used. */
  lastUsedTime: string | null;
  /** The address from which it was last used. */
  lastUsedAddress: string | null;
  /** The addresses from which it is accepted; empty: from anywhere. */
  allowedAddresses: string[];
  /** The key that replaced it by rotation. */
  replacedBy: number | null;
  userId: number;
  userName: string;
  /** null: the platform's own tenant. */
  tenantId: string | null;
  /** What the key may do now: what its scope and its owner's permissions both allow. */
  scopes: ("transaction_write" | "transaction_read" | "transaction_refund" | "user_write" | "user_read" | "channel_read" | "channel_write" | "invoice_read" | "invoice_write" | "subscription_read" | "subscription_write" | "webhook_read" | "webhook_write" | (string & {}))[];
}

export interface CurrentUser {
  userId: number;
  userName: string;
  email: string;
  userType: "PLATFORM_ADMIN" | "MERCHANT_ADMIN" | "MERCHANT_USER" | (string & {});
  /** null: the platform's own tenant. */
  tenantId: string | null;
  roles: string[];
  /** The permissions of this user. */
  scopes: ("transaction_write" | "transaction_read" | "transaction_refund" | "user_write" | "user_read" | "channel_read" | "channel_write" | "invoice_read" | "invoice_write" | "subscription_read" | "subscription_write" | "webhook_read" | "webhook_write" | (string & {}))[];
  /** Whether the user has a second factor. */
  secondFactor: boolean;
  createdTime: string;
}

export interface Customer {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  name: string;
  email: string | null;
  phone: string | null;
  /** As it was sent. */
  address: Record<string, unknown> | null;
  externalId: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  defaultChannelId: number | null;
  /** Days to pay an invoice that is finalized without a `dueDate`. null: the seller's `dueDays`. */
  dueDays: number | null;
  /** The payment method that renewals are charged with: `mtd_` and a time-ordered part. */
  defaultMethodId: string | null;
  clockId: number | null;
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

export interface CustomerListItem {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  name: string;
  email: string | null;
  phone: string | null;
  /** As it was sent. */
  address: Record<string, unknown> | null;
  externalId: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  defaultChannelId: number | null;
  /** Days to pay an invoice that is finalized without a `dueDate`. null: the seller's `dueDays`. */
  dueDays: number | null;
  /** The payment method that renewals are charged with: `mtd_` and a time-ordered part. */
  defaultMethodId: string | null;
  clockId: number | null;
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
}

/** Without `id` it creates, and needs `name`. */
export interface CustomerModifyInput {
  /** Omit to create. */
  id?: number | null | undefined;
  /** One line of 1 to 200 characters, without control characters. */
  name?: string | null | undefined;
  /** Not unique: a household may share one. null clears it. */
  email?: string | null | undefined;
  /** In any notation. null clears it. */
  phone?: string | null | undefined;
  /** `line1`, `line2`, `city` and `state` of at most 200 characters, `postalCode` of at most 40, and `country`, an ISO 3166-1 alpha-2 code such as US. All are optional; an update replaces the whole address. null clears it. */
  address?: TenantModifyInputAddress | null | undefined;
  /** The id of the customer in your own system. Unique in the tenant among the customers of one mode. null clears it. */
  externalId?: string | null | undefined;
  /** Keys of your own data to set; null deletes a key, and other keys stay. At most 16 KiB of JSON, 8 levels and 50 keys in all, and numbers up to 2^53 − 1. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Your own data, replaced as a whole. Only in an update, not together with `metadata`. */
  metadataReplace?: Record<string, unknown> | null | undefined;
  /** The channel for invoices that name no channel. null clears it. */
  defaultChannelId?: number | null | undefined;
  /** How many days the customer has to pay an invoice that is finalized without a `dueDate` of its own; 0: it is due at once. null: the seller's `dueDays`. */
  dueDays?: number | null | undefined;
  /** The provider's token of the payment method (Stripe: `pm_…`), never a card number. Set up as a payment method at `defaultChannelId`, and the default once it is ACTIVE. null detaches the default. */
  paymentMethod?: string | null | undefined;
  consent?: PaymentMethodSetupInputConsent | null | undefined;
  /** Whether it is live (true) or for tests (false); never changes. Default: the mode of the key; for a session the mode of the default channel, or live. */
  livemode?: boolean | null | undefined;
  /** The test clock that the customer uses. Only in STANDALONE mode; cannot change after the customer is created. */
  clockId?: number | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface CustomerPortal {
  customerId: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The URL of the portal, a secret. It is only shown once. */
  url: string;
  returnUrl: string | null;
  /** One hour after it was created. */
  expiresTime: string;
}

export interface CustomerPortalInput {
  /** The customer. */
  customerId: number;
  /** Where the page links back to. */
  returnUrl?: string | null | undefined;
}

export interface CustomerSummary {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** Those with the most payments first. */
  currencies: CustomerSummaryCurrency[];
}

export interface CustomerSummaryCurrency {
  currency: string;
  /** How many payments took money. */
  payments: number;
  /** What they took, before refunds, in minor units as decimal digits. */
  amountCaptured: string;
  /** What was given back, in minor units as decimal digits. */
  amountRefunded: string;
  /** What disputes have withdrawn and not reinstated, in minor units as decimal digits. */
  amountDisputed: string;
}

export interface CustomersGetParams {
  /** The customer; or `externalId`. */
  id?: number | undefined;
  externalId?: string | undefined;
}

export interface CustomersListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** Only customers with this address; case is ignored. */
  email?: string | undefined;
  /** Only the customer with this id. */
  externalId?: string | undefined;
  /** Only customers whose name contains this text; case is ignored. */
  name?: string | undefined;
  /** Only rows whose metadata has this value under this key: `metadata[order]=7`. Up to 5 keys, which must all match. */
  metadata?: Record<string, string> | undefined;
  /** Only rows found by their id, mail address, external id or the beginning of their name. */
  search?: string | undefined;
  /** Only the customers with these ids: at most 100, separated by commas. They may be of either mode. Ids that the caller cannot see are left out. */
  ids?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface CustomersSummaryParams {
  /** The customer. */
  id: number;
}

export interface Delivery {
  /** Id of this delivery. */
  id: string;
  /** The id in `X-Service-Delivery`: the id of the replayed delivery, or its own. */
  sentAs: string;
  /** null: the platform's own tenant. */
  tenantId: string | null;
  endpointId: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The endpoint's present URL. */
  url: string;
  eventId: string;
  eventType: "transaction.created" | "transaction.processing" | "transaction.succeeded" | "transaction.failed" | "transaction.refunded" | "transaction.cancelled" | "transaction.action_required" | "refund.created" | "refund.succeeded" | "refund.failed" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "subscription.expired" | "invoice.created" | "invoice.finalized" | "invoice.paid" | "invoice.payment_failed" | "invoice.overdue" | "invoice.voided" | "invoice.uncollectible" | "customer.created" | "customer.updated" | "channel.disabled" | "webhook.disabled" | "payment_method.action_required" | "payment_method.attached" | "payment_method.failed" | "payment_method.expiring" | "payment_method.expired" | "payment_method.updated" | "payment_method.revoked" | "payment_method.detached" | "transaction.authorized" | "transaction.captured" | "transaction.capture_failed" | "transaction.authorization_expiring" | "discrepancy.opened" | "discrepancy.closed" | "dispute.created" | "dispute.updated" | "dispute.due_soon" | "dispute.won" | "dispute.lost" | "dispute.closed" | "dispute.funds_withdrawn" | "dispute.funds_reinstated" | "transaction.fraud_warning" | "invoice.reopened" | "webhook.ping" | (string & {});
  /** Id of the record that the event is about. */
  objectId: string;
  /** OPEN: being sent, or waiting for its first attempt or a retry. */
  state: DeliveryState | (string & {});
  /** Attempts that have ended. */
  attemptCount: number;
  /** HTTP status of the last answer. null: there was no answer, or the attempt is no longer kept. */
  lastStatus: number | null;
  /** Outcome of the last attempt: `ok` or the kind of failure. */
  lastOutcome: string | null;
  /** When it is due. null unless it is OPEN. */
  nextAttemptTime: string | null;
  createdTime: string;
  /** null while it is OPEN. */
  finishedTime: string | null;
}

export interface DeliveryAttempt {
  number: number;
  /** When it was sent. */
  time: string;
  durationMs: number;
  /** HTTP status. null: there was no answer. */
  status: number | null;
  /** `ok` or the kind of failure. */
  outcome: string;
  /** true: sent twice, because the receiver was closing the idle connection. */
  resent: boolean;
  /** IP address of the connection. null: no connection was made. */
  address: string | null;
  /** At most 4 KiB of headers. null: there was no answer, or it came from a private address that is not among `app.webhook.allow-targets`. */
  responseHeaders: Record<string, unknown> | null;
  /** The first 8 KiB, decoded as UTF-8. null: there was no body, or the headers are not shown either. */
  responseBody: string | null;
}

export interface DeliveryDetail {
  /** Id of this delivery. */
  id: string;
  /** The id in `X-Service-Delivery`: the id of the replayed delivery, or its own. */
  sentAs: string;
  /** null: the platform's own tenant. */
  tenantId: string | null;
  endpointId: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The endpoint's present URL. */
  url: string;
  eventId: string;
  eventType: "transaction.created" | "transaction.processing" | "transaction.succeeded" | "transaction.failed" | "transaction.refunded" | "transaction.cancelled" | "transaction.action_required" | "refund.created" | "refund.succeeded" | "refund.failed" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "subscription.expired" | "invoice.created" | "invoice.finalized" | "invoice.paid" | "invoice.payment_failed" | "invoice.overdue" | "invoice.voided" | "invoice.uncollectible" | "customer.created" | "customer.updated" | "channel.disabled" | "webhook.disabled" | "payment_method.action_required" | "payment_method.attached" | "payment_method.failed" | "payment_method.expiring" | "payment_method.expired" | "payment_method.updated" | "payment_method.revoked" | "payment_method.detached" | "transaction.authorized" | "transaction.captured" | "transaction.capture_failed" | "transaction.authorization_expiring" | "discrepancy.opened" | "discrepancy.closed" | "dispute.created" | "dispute.updated" | "dispute.due_soon" | "dispute.won" | "dispute.lost" | "dispute.closed" | "dispute.funds_withdrawn" | "dispute.funds_reinstated" | "transaction.fraud_warning" | "invoice.reopened" | "webhook.ping" | (string & {});
  /** Id of the record that the event is about. */
  objectId: string;
  /** OPEN: being sent, or waiting for its first attempt or a retry. */
  state: DeliveryState | (string & {});
  /** Attempts that have ended. */
  attemptCount: number;
  /** HTTP status of the last answer. null: there was no answer, or the attempt is no longer kept. */
  lastStatus: number | null;
  /** Outcome of the last attempt: `ok` or the kind of failure. */
  lastOutcome: string | null;
  /** When it is due. null unless it is OPEN. */
  nextAttemptTime: string | null;
  createdTime: string;
  /** null while it is OPEN. */
  finishedTime: string | null;
  /** Oldest first. Old attempts are deleted. */
  attempts: DeliveryAttempt[];
  /** All deliveries with the same `sentAs`, including this one, oldest first. */
  runs: DeliveryDetailRun[];
}

export interface DeliveryDetailRun {
  id: string;
  state: DeliveryState | (string & {});
  createdTime: string;
}

export type DeliveryState = "OPEN" | "SUCCEEDED" | "FAILED" | "CANCELLED";

export interface DeveloperKey {
  id: number;
  /** First four characters, `...`, last four. */
  skMasked: string;
  /** true: for live records. false: for test records. */
  livemode: boolean;
  /** Comma-separated scope names. */
  scope: string;
  /** 1: active. 0: revoked. */
  state: number;
  name: string | null;
  createdTime: string;
  /** null when never updated. */
  updatedTime: string | null;
  /** null: the key never expires. */
  expiresTime: string | null;
  /** Accurate to one minute; null when never used. */
  lastUsedTime: string | null;
  /** The address from which it was last used. */
  lastUsedAddress: string | null;
  /** The addresses from which it is accepted; empty: from anywhere. */
  allowedAddresses: string[];
  /** The key that replaced it by rotation. */
  replacedBy: number | null;
}

export interface DeveloperKeyGenerateInput {
  /** Comma-separated: transaction_write, transaction_read, transaction_refund, user_write, user_read, channel_read, channel_write, invoice_read, invoice_write, subscription_read, subscription_write, webhook_read, webhook_write; or * for all, which only administrators may grant. Default: transaction_write, transaction_read, user_write, user_read. */
  scope?: string | null | undefined;
  /** A label, such as the purpose of the key. */
  name?: string | null | undefined;
  /** false: a test key (`sk_test_…`), which sees and creates only test records. true: a live key (`sk_live_…`). */
  livemode?: boolean | null | undefined;
  /** When the key expires. Default: never. */
  expiresTime?: string | null | undefined;
  /** Addresses and networks (CIDR), IPv4 or IPv6, from which the key is accepted. Default: from anywhere. Behind a proxy, `app.server.trust-proxy` must name it. */
  allowedAddresses?: string[] | null | undefined;
}

export interface DeveloperKeyRevokeInput {
  id: number;
}

export interface DeveloperKeyRotateInput {
  /** The key to replace. */
  id: number;
  /** For how long the old key keeps working, in seconds: at most 30 days. */
  overlapSeconds?: number | null | undefined;
  /** When the new key expires. Default: after the lifetime of the old key. */
  expiresTime?: string | null | undefined;
}

export interface DeviceCode {
  /** A secret of the program, with which it asks for its key. */
  deviceCode: string;
  /** What the user types: 8 letters and a hyphen. */
  userCode: string;
  /** Where the user types it. */
  verificationUri: string;
  /** The same with the code filled in. */
  verificationUriComplete: string;
  /** For how many seconds both codes are valid. */
  expiresIn: number;
  /** How many seconds to wait between two polls for the key. */
  interval: number;
}

export interface DeviceCodeInput {
  /** The program and the name of its machine, so that the user recognizes them, without control and invisible characters. Also the name of the key. */
  client: string;
  /** The scopes to ask for, comma-separated, or `*`. Default: those that the user chooses. */
  scope?: string | null | undefined;
  /** Whether a live key is asked for, instead of a test key. */
  livemode?: boolean | null | undefined;
}

export interface DeviceDecideInput {
  /** As the program shows it; case, spaces and hyphens do not matter. */
  userCode: string;
  /** true: the program gets a key of the caller. false: it is refused. */
  approve: boolean;
  /** The scopes to grant. Default: those that the program asked for, or else all that the caller holds. Scopes that the caller does not hold cannot be granted. */
  scope?: string | null | undefined;
  /** The mode of the key. Default: the mode that the program asked for. */
  livemode?: boolean | null | undefined;
}

export interface DeviceDecision {
  client: string;
  approved: boolean;
}

export interface DeviceKey {
  id: number;
  /** The full secret key. Returned only here, once. */
  sk: string;
  /** true: for live records. false: for test records. */
  livemode: boolean;
  /** Comma-separated scope names. */
  scope: string;
  /** 1: active. 0: revoked. */
  state: number;
  name: string | null;
  createdTime: string;
  /** null when never updated. */
  updatedTime: string | null;
  /** null: the key never expires. */
  expiresTime: string | null;
  /** Accurate to one minute; null when never used. */
  lastUsedTime: string | null;
  /** The address from which it was last used. */
  lastUsedAddress: string | null;
  /** The addresses from which it is accepted; empty: from anywhere. */
  allowedAddresses: string[];
  /** The key that replaced it by rotation. */
  replacedBy: number | null;
  /** The user who approved the login and owns the key. */
  userName: string;
}

export interface DeviceRequest {
  /** The name that the program gave itself. */
  client: string;
  /** The IP address of the program. */
  address: string;
  /** Whether the caller has the same address. */
  isSameAddress: boolean;
  /** The scopes that the program asks for; null: those that the user chooses. */
  scope: string | null;
  livemode: boolean;
  createdTime: string;
  expiresTime: string;
}

export interface DeviceTokenInput {
  deviceCode: string;
}

export interface DevicesRequestParams {
  /** As the program shows it; case, spaces and hyphens do not matter. */
  userCode: string;
}

export interface DiscrepanciesGetParams {
  /** `dcp_` and a time-ordered part. */
  id: string;
}

export interface DiscrepanciesListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** Default: those that are not closed, OPEN and DISAGREES. */
  state?: "OPEN" | "DISAGREES" | "AGREES" | "CLOSED" | undefined;
  kind?: DiscrepancyKind | undefined;
  /** Only discrepancies about this payment. */
  transactionId?: string | undefined;
  /** Only discrepancies with the provider of this channel. */
  channelId?: number | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface Discrepancy {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  kind: DiscrepancyKind | (string & {});
  transactionId: string;
  /** The number of the provider operation, as the timeline shows it; null: it is about none. */
  operation: number | null;
  /** The dispute in another currency; null: it is about none. */
  disputeId: string | null;
  /** The channel whose provider was asked. */
  channelId: number;
  state: "OPEN" | "DISAGREES" | "AGREES" | "CLOSED" | (string & {});
  /** What the provider reported: `succeeded`, `failed` or `cancelled`; of the other mode also `pending`, `needs_payer` or `changed`. null: it can no longer say what became of the operation. */
  reported: string | null;
  /** The mode that it reported, if it is not that of the payment; otherwise null. */
  reportedLivemode: boolean | null;
  /** The amount that it reported, in minor units; of OVERDRAWN, how much too much was given back. */
  amount: number | null;
  /** The currency that it reported. */
  currency: string | null;
  /** The provider's own id of the operation. */
  reference: string | null;
  /** How often the operation has been looked up since. */
  lookUps: number;
  openedTime: string;
  /** When the provider agreed, or a user closed it. */
  closedTime: string | null;
  /** The user who closed it; null: nobody did. */
  closedBy: number | null;
  /** What the user found. */
  note: string | null;
}

export interface DiscrepancyCloseInput {
  /** `dcp_` and a time-ordered part. */
  id: string;
  /** What was found, for the timeline of the payment. */
  note: string;
  /** Ends a charge or a refund whose outcome is not known, as it is at the provider. Without it the payment stays as it is. */
  outcome?: "SUCCEEDED" | "FAILED" | null | undefined;
  /** With SUCCEEDED, the provider's own id of the charge or refund; required if Florin does not know it. Refunds of a charge name it to the provider. */
  reference?: string | null | undefined;
  /** Of a dispute in another currency: what was withdrawn for it in the payment's currency, in minor units, 0 to what was captured. It is booked, and the payment can be refunded again as far as it goes. */
  withdrawn?: number | null | undefined;
}

export type DiscrepancyKind = "OPERATION" | "OVERDRAWN";

export interface Dispute {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The payment. A dispute over several payments is one record for each. */
  transactionId: string;
  /** The channel that took the money. */
  channelId: number;
  /** The provider's id of it, or of what came back. */
  providerReference: string;
  stage: DisputeStage | (string & {});
  status: DisputeStatus | (string & {});
  /** What is at stake, in minor units. */
  amount: number;
  currency: string;
  /** What the provider has withdrawn for it and not reinstated, in the payment's currency. */
  amountWithdrawn: number;
  /** What the provider charges for it; null: it does not tell. */
  fee: DisputeDetailFee | null;
  reason: DisputeReason | (string & {});
  /** The provider's word. */
  providerReason: string | null;
  /** When an answer is due; null: it cannot be answered. */
  respondBy: string | null;
  /** When evidence was last submitted. */
  submittedTime: string | null;
  /** When the provider decided. */
  closedTime: string | null;
  /** What the provider takes now. */
  actions: (DisputeAction | (string & {}))[];
  /** What it takes as evidence. */
  evidenceFields: DisputeEvidenceField[];
  /** Reasons of which one must be chosen; empty: none. */
  defenseReasons: string[];
  /** Why the provider refused the last answer. */
  failureCode: string | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
}

export interface DisputeAcceptInput {
  /** `dsp_` and a time-ordered part. */
  id: string;
}

export type DisputeAction = "SUBMIT" | "ACCEPT";

export interface DisputeDetail {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The payment. A dispute over several payments is one record for each. */
  transactionId: string;
  /** The channel that took the money. */
  channelId: number;
  /** The provider's id of it, or of what came back. */
  providerReference: string;
  stage: DisputeStage | (string & {});
  status: DisputeStatus | (string & {});
  /** What is at stake, in minor units. */
  amount: number;
  currency: string;
  /** What the provider has withdrawn for it and not reinstated, in the payment's currency. */
  amountWithdrawn: number;
  /** What the provider charges for it; null: it does not tell. */
  fee: DisputeDetailFee | null;
  reason: DisputeReason | (string & {});
  /** The provider's word. */
  providerReason: string | null;
  /** When an answer is due; null: it cannot be answered. */
  respondBy: string | null;
  /** When evidence was last submitted. */
  submittedTime: string | null;
  /** When the provider decided. */
  closedTime: string | null;
  /** What the provider takes now. */
  actions: (DisputeAction | (string & {}))[];
  /** What it takes as evidence. */
  evidenceFields: DisputeEvidenceField[];
  /** Reasons of which one must be chosen; empty: none. */
  defenseReasons: string[];
  /** Why the provider refused the last answer. */
  failureCode: string | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
  /** The draft: what would be submitted now. */
  evidence: DisputeDetailEvidence;
  /** What was sent to the provider, or is about to be, in order. */
  answers: DisputeDetailAnswer[];
}

export interface DisputeDetailAnswer {
  kind: DisputeAction | (string & {});
  stage: DisputeStage | (string & {});
  state: "READY" | "CALLING" | "UNKNOWN" | "SUCCEEDED" | "FAILED" | "CANCELLED" | (string & {});
  defenseReason: string | null;
  evidence: DisputeDetailEvidence;
}

/** The draft: what would be submitted now. */
export interface DisputeDetailEvidence {
  texts: Record<string, unknown>;
  files: DisputeFile[];
}

/** What the provider charges for it; null: it does not tell. */
export interface DisputeDetailFee {
  amount: number;
  currency: string;
}

export interface DisputeDueSoon {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The payment. A dispute over several payments is one record for each. */
  transactionId: string;
  /** The channel that took the money. */
  channelId: number;
  /** The provider's id of it, or of what came back. */
  providerReference: string;
  stage: DisputeStage | (string & {});
  status: DisputeStatus | (string & {});
  /** What is at stake, in minor units. */
  amount: number;
  currency: string;
  /** What the provider has withdrawn for it and not reinstated, in the payment's currency. */
  amountWithdrawn: number;
  /** What the provider charges for it; null: it does not tell. */
  fee: DisputeDetailFee | null;
  reason: DisputeReason | (string & {});
  /** The provider's word. */
  providerReason: string | null;
  /** When an answer is due; null: it cannot be answered. */
  respondBy: string | null;
  /** When evidence was last submitted. */
  submittedTime: string | null;
  /** When the provider decided. */
  closedTime: string | null;
  /** What the provider takes now. */
  actions: (DisputeAction | (string & {}))[];
  /** What it takes as evidence. */
  evidenceFields: DisputeEvidenceField[];
  /** Reasons of which one must be chosen; empty: none. */
  defenseReasons: string[];
  /** Why the provider refused the last answer. */
  failureCode: string | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
  /** How many days are left to answer, 3 or 1. */
  daysLeft: number;
}

export interface DisputeEvidenceField {
  name: string;
  kind: "TEXT" | "FILE" | (string & {});
  required: boolean;
  maxCharacters?: number | undefined;
  fileTypes?: string[] | undefined;
  maxBytes?: number | undefined;
  /** Of a PDF. */
  maxPages?: number | undefined;
}

export interface DisputeEvidenceInput {
  /** `dsp_` and a time-ordered part. */
  id: string;
  /** Texts by the name of their field; null clears a text or a file. */
  evidence: Record<string, string | null>;
}

export interface DisputeFile {
  /** `fil_` and a time-ordered part. */
  id: string;
  /** The field of the evidence. */
  name: string;
  type: "application/pdf" | "image/png" | "image/jpeg" | "image/tiff" | (string & {});
  bytes: number;
  /** Of its content, in hex. */
  sha256: string;
}

export interface DisputeListItem {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The payment. A dispute over several payments is one record for each. */
  transactionId: string;
  /** The channel that took the money. */
  channelId: number;
  /** The provider's id of it, or of what came back. */
  providerReference: string;
  stage: DisputeStage | (string & {});
  status: DisputeStatus | (string & {});
  /** What is at stake, in minor units. */
  amount: number;
  currency: string;
  /** What the provider has withdrawn for it and not reinstated, in the payment's currency. */
  amountWithdrawn: number;
  /** What the provider charges for it; null: it does not tell. */
  fee: DisputeDetailFee | null;
  reason: DisputeReason | (string & {});
  /** The provider's word. */
  providerReason: string | null;
  /** When an answer is due; null: it cannot be answered. */
  respondBy: string | null;
  /** When evidence was last submitted. */
  submittedTime: string | null;
  /** When the provider decided. */
  closedTime: string | null;
  /** What the provider takes now. */
  actions: (DisputeAction | (string & {}))[];
  /** What it takes as evidence. */
  evidenceFields: DisputeEvidenceField[];
  /** Reasons of which one must be chosen; empty: none. */
  defenseReasons: string[];
  /** Why the provider refused the last answer. */
  failureCode: string | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
  /** The payment's customer. */
  customerId: number | null;
}

export type DisputeReason = "fraudulent" | "not_received" | "not_as_described" | "duplicate" | "credit_not_processed" | "subscription_cancelled" | "unrecognized" | "not_authorized" | "returned" | "other";

export type DisputeStage = "INQUIRY" | "CHARGEBACK" | "PRE_ARBITRATION" | "ARBITRATION";

export type DisputeStatus = "OPEN" | "SUBMITTED" | "ACCEPTED" | "EXPIRED" | "WON" | "LOST" | "CLOSED";

export interface DisputeSubmitInput {
  /** `dsp_` and a time-ordered part. */
  id: string;
  /** One of `defenseReasons`; required if there are any. */
  defenseReason?: string | null | undefined;
}

export interface DisputesFileParams {
  /** `dsp_` and a time-ordered part. */
  id: string;
  /** The field of the evidence that the file is for. */
  name: string;
}

export interface DisputesGetParams {
  /** `dsp_` and a time-ordered part. */
  id: string;
}

export interface DisputesListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  status?: DisputeStatus | undefined;
  stage?: DisputeStage | undefined;
  reason?: DisputeReason | undefined;
  /** Only disputes of payments through this channel. */
  channelId?: number | undefined;
  /** Only disputes of this payment. */
  transactionId?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface Event {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** null: the platform's own tenant. */
  tenantId: string | null;
  type: EventType | (string & {});
  /** The record that the event is about. */
  objectId: string;
  createdTime: string;
  /** The body of every delivery of this event. */
  payload?: Record<string, unknown> | undefined;
}

export interface EventDetail {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** null: the platform's own tenant. */
  tenantId: string | null;
  type: EventType | (string & {});
  /** The record that the event is about. */
  objectId: string;
  createdTime: string;
  /** The body of every delivery of this event. */
  payload: Record<string, unknown>;
}

export type EventType = "transaction.created" | "transaction.processing" | "transaction.succeeded" | "transaction.failed" | "transaction.refunded" | "transaction.cancelled" | "transaction.action_required" | "refund.created" | "refund.succeeded" | "refund.failed" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "subscription.expired" | "invoice.created" | "invoice.finalized" | "invoice.paid" | "invoice.payment_failed" | "invoice.overdue" | "invoice.voided" | "invoice.uncollectible" | "customer.created" | "customer.updated" | "channel.disabled" | "webhook.disabled" | "payment_method.action_required" | "payment_method.attached" | "payment_method.failed" | "payment_method.expiring" | "payment_method.expired" | "payment_method.updated" | "payment_method.revoked" | "payment_method.detached" | "transaction.authorized" | "transaction.captured" | "transaction.capture_failed" | "transaction.authorization_expiring" | "discrepancy.opened" | "discrepancy.closed" | "dispute.created" | "dispute.updated" | "dispute.due_soon" | "dispute.won" | "dispute.lost" | "dispute.closed" | "dispute.funds_withdrawn" | "dispute.funds_reinstated" | "transaction.fraud_warning" | "invoice.reopened";

export interface EventsGetParams {
  /** `evt_` and a time-ordered body. */
  id: string;
}

export interface EventsListParams {
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. For pages `cursor` is better, because it notices a changed filter. */
  after?: string | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  type?: EventType | undefined;
  /** Only events about this record, such as `txn_…`. */
  objectId?: string | undefined;
  /** Only rows found by the id of the event or of the record that it is about. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** Further fields of the rows: `payload`. */
  fields?: string | undefined;
}

export interface EventsStreamParams {
  /** false: answers what has happened since `Last-Event-ID`, and ends. Default true. */
  follow?: boolean | undefined;
}

export interface FinancesInvoicesParams {
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  status?: "DRAFT" | "OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE" | undefined;
  /** Only the invoice with this number, such as `INV-000001`. */
  number?: string | undefined;
  /** Only invoices with a `dueDate` on or after this day, YYYY-MM-DD. */
  dueFrom?: string | undefined;
  /** Only invoices with a `dueDate` on or before this day, YYYY-MM-DD. */
  dueTo?: string | undefined;
  /** Only invoices of this customer. */
  customerId?: number | undefined;
  /** Only invoices of this subscription. */
  subscriptionId?: number | undefined;
  /** Only rows in this currency. */
  currency?: string | undefined;
  /** Only invoices with at least this `total`, in minor units. */
  amountFrom?: number | undefined;
  /** Only invoices with at most this `total`, in minor units. */
  amountTo?: number | undefined;
  /** true: only invoices with an `amountToReturn`. */
  toReturn?: boolean | undefined;
  /** Only rows whose metadata has this value under this key: `metadata[order]=7`. Up to 5 keys, which must all match. */
  metadata?: Record<string, string> | undefined;
  /** Only rows found by their id, their number, the beginning of their description, or the mail address or external id of their customer. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** A workbook, or CSV with a byte order mark. */
  format?: "xlsx" | "csv" | undefined;
  /** Of headers and words. A German CSV has decimal commas, and semicolons between its cells. */
  language?: "en" | "de" | undefined;
}

export interface FinancesLedgerParams {
  /** Only this currency. */
  currency?: string | undefined;
  /** Only transfers that debit or credit this account. */
  account?: LedgerAccount | undefined;
  /** The first day, whole and in UTC: YYYY-MM-DD. */
  startDate?: string | undefined;
  /** The last day, whole and in UTC: YYYY-MM-DD. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** A workbook, or CSV with a byte order mark. */
  format?: "xlsx" | "csv" | undefined;
  /** Of headers and words. A German CSV has decimal commas, and semicolons between its cells. */
  language?: "en" | "de" | undefined;
}

export interface FinancesPaymentsParams {
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  status?: TransactionStatus | undefined;
  /** Only payments through this channel. */
  channelId?: number | undefined;
  /** Only payments created by this user or with one of their keys. */
  userId?: number | undefined;
  /** Only payments of this customer. */
  customerId?: number | undefined;
  /** Only payments of this invoice. */
  invoiceId?: number | undefined;
  /** Only rows in this currency. */
  currency?: string | undefined;
  /** Only payments of at least this amount, in minor units. */
  amountFrom?: number | undefined;
  /** Only payments of at most this amount, in minor units. */
  amountTo?: number | undefined;
  /** Only rows whose metadata has this value under this key: `metadata[order]=7`. Up to 5 keys, which must all match. */
  metadata?: Record<string, string> | undefined;
  /** Only payments of which the provider knows a charge by this id (`providerReference`). */
  providerReference?: string | undefined;
  /** Only rows found by their id, the provider's id, the `Idempotency-Key` of their create, or the id of their customer or invoice; if there are none, by the beginning of their description. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** A workbook, or CSV with a byte order mark. */
  format?: "xlsx" | "csv" | undefined;
  /** Of headers and words. A German CSV has decimal commas, and semicolons between its cells. */
  language?: "en" | "de" | undefined;
}

export interface FinancesRefundsParams {
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  status?: RefundStatus | undefined;
  /** Only refunds of payments through this channel. */
  channelId?: number | undefined;
  /** Only refunds created by this user or with one of their keys. */
  userId?: number | undefined;
  /** Only refunds of payments of this customer. */
  customerId?: number | undefined;
  /** Only refunds of payments of this invoice. */
  invoiceId?: number | undefined;
  /** Only rows in this currency. */
  currency?: string | undefined;
  /** Only refunds of at least this amount, in minor units. */
  amountFrom?: number | undefined;
  /** Only refunds of at most this amount, in minor units. */
  amountTo?: number | undefined;
  /** Only rows whose metadata has this value under this key: `metadata[order]=7`. Up to 5 keys, which must all match. */
  metadata?: Record<string, string> | undefined;
  /** Only refunds of this payment. */
  transactionId?: string | undefined;
  /** Only refunds that the provider knows by this id (`providerReference`). */
  providerReference?: string | undefined;
  /** Only rows found by their id, the id of their payment, the provider's id or the beginning of their reason. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** A workbook, or CSV with a byte order mark. */
  format?: "xlsx" | "csv" | undefined;
  /** Of headers and words. A German CSV has decimal commas, and semicolons between its cells. */
  language?: "en" | "de" | undefined;
}

export interface FinancesTaxesParams {
  /** Only this currency. */
  currency?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** A workbook, or CSV with a byte order mark. */
  format?: "xlsx" | "csv" | undefined;
  /** Of headers and words. A German CSV has decimal commas, and semicolons between its cells. */
  language?: "en" | "de" | undefined;
}

export interface ForgotPasswordInput {
  email: string;
}

export interface GeneratedDeveloperKey {
  id: number;
  /** The full secret key. Returned only here, once. */
  sk: string;
  /** true: for live records. false: for test records. */
  livemode: boolean;
  /** Comma-separated scope names. */
  scope: string;
  /** 1: active. 0: revoked. */
  state: number;
  name: string | null;
  createdTime: string;
  /** null when never updated. */
  updatedTime: string | null;
  /** null: the key never expires. */
  expiresTime: string | null;
  /** Accurate to one minute; null when never used. */
  lastUsedTime: string | null;
  /** The address from which it was last used. */
  lastUsedAddress: string | null;
  /** The addresses from which it is accepted; empty: from anywhere. */
  allowedAddresses: string[];
  /** The key that replaced it by rotation. */
  replacedBy: number | null;
}

export interface Health {
  status: string;
}

export interface Inbox {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** Whether signatures are verified. */
  hasSecret: boolean;
  createdTime: string;
  /** When the inbox and its messages are deleted. */
  expiresTime: string;
  messageCount: number;
}

export interface InboxCreateInput {
  /** Verifies the signatures of messages; without it they are not verified. Never shown. What follows `whsec_` must be base64, as for libraries of Standard Webhooks. */
  secret?: string | null | undefined;
  /** Whether it is live (true) or for tests (false); never changes. Default: the mode of the key; for a session live. */
  livemode?: boolean | null | undefined;
}

export interface InboxMessage {
  id: string;
  receivedTime: string;
  /** The verdict on `X-Service-Signature`. null: the inbox has no secret, or its key was lost. */
  serviceSignature: "VERIFIED" | "WRONG" | "ABSENT" | null | (string & {});
  /** The verdict on `webhook-signature`. null: the inbox has no secret, or its key was lost. */
  standardSignature: "VERIFIED" | "WRONG" | "ABSENT" | null | (string & {});
  /** Without headers that carry credentials. */
  headers: Record<string, unknown>;
  /** Decoded as UTF-8. */
  body: string;
}

export interface InboxReceipt {
  /** The verdict on `X-Service-Signature`. null: the inbox has no secret, or its key was lost. */
  serviceSignature: "VERIFIED" | "WRONG" | "ABSENT" | null | (string & {});
  /** The verdict on `webhook-signature`. null: the inbox has no secret, or its key was lost. */
  standardSignature: "VERIFIED" | "WRONG" | "ABSENT" | null | (string & {});
}

export interface InboxesListParams {
  /** Only live (true) or test (false) inboxes. Default: both. */
  livemode?: boolean | undefined;
}

export interface InboxesMessagesParams {
  /** The inbox's id. */
  id: number;
  /** `pagination.next` of the previous page. */
  after?: string | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
}

export interface InboxesPostParams {
  /** The inbox's token, as returned when it was created. */
  token: string;
}

export type Initiator = "PAYER" | "MERCHANT";

export interface Invoice {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** Such as `INV-000001`, of a test invoice `TEST-000001`; null until the invoice is finalized. */
  number: string | null;
  customerId: number;
  status: "DRAFT" | "OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE" | (string & {});
  currency: string;
  /** The sum of the lines without tax. All amounts are in minor units. */
  subtotal: number;
  tax: number;
  /** `subtotal` + `tax`. */
  total: number;
  /** `total`; 0 when the invoice is VOID. */
  amountDue: number;
  /** What successful payments have paid of it; never more than `total`. */
  amountPaid: number;
  /** `amountDue` − `amountPaid`. */
  amountRemaining: number;
  /** The sum of the payments that have not ended: those in progress, and those that wait for a person and reserve nothing. */
  amountUnderWay: number;
  /** The refunded amount of what its payments paid. A refund changes neither `status` nor `amountPaid` nor `version`. */
  amountRefunded: number;
  /** What payments took although nothing, or less, was left to pay, as far as no refund returns it. [Refund](refunds.md) those payments. */
  amountToReturn: number;
  /** When the failed payment of a subscription is retried. null: no retry is scheduled, or one is in progress. */
  nextPaymentAttempt: string | null;
  channelId: number | null;
  description: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  /** The tenant as it was when the invoice was finalized. null: a DRAFT, or finalized by a version that did not record it. */
  seller: InvoiceSeller | null;
  /** YYYY-MM-DD, in UTC. */
  dueDate: string | null;
  /** When it was found unpaid after its due date. It stays when the invoice is paid later. */
  overdueTime: string | null;
  subscriptionId: number | null;
  /** When the invoiced billing period of the subscription begins. */
  periodStart: string | null;
  periodEnd: string | null;
  /** The user who created it. */
  userId: number;
  /** Rises with every change, so that a receiver can ignore outdated events. */
  version: number;
  createdTime: string;
  finalizedTime: string | null;
  paidTime: string | null;
  /** When it became VOID or UNCOLLECTIBLE. */
  closedTime: string | null;
  updatedTime: string;
  /** `description`, `quantity`, `unitAmount`, `amount`, `taxRate` (basis points, or null), `taxAmount`. */
  lines: InvoiceLine[];
  /** The newest 100, newest first: `transactionId` (null: no payment could be created), `amount`, `amountExcess` (what it took beyond what was left to pay), `state`, `automatic`, `failureCode`, `failureMessage`, `createdTime`, `finishedTime`. */
  payments: InvoicePayment[];
}

export interface InvoiceCreateInput {
  /** The customer to invoice. */
  customerId: number;
  /** An upper-case ISO 4217 currency code such as USD, not that of a fund or a metal. */
  currency: string;
  /** Each with `description`, `quantity`, `unitAmount` and, for a taxed line, `taxRate` or `taxAmount`. */
  lines: InvoiceLineInput[];
  description?: string | null | undefined;
  /** Your own data: at most 16 KiB of JSON, 8 levels, 50 keys, numbers up to 2^53 − 1. Returned as it was sent. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The channel to pay the invoice on. Default: the customer's default channel. */
  channelId?: number | null | undefined;
  /** The last day for payment, YYYY-MM-DD in UTC. Default: the day on which the invoice is finalized. */
  dueDate?: string | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface InvoiceFinalizeInput {
  /** A DRAFT. */
  id: number;
}

export interface InvoiceInPaymentEvent {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** Such as `INV-000001`, of a test invoice `TEST-000001`; null until the invoice is finalized. */
  number: string | null;
  customerId: number;
  status: "DRAFT" | "OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE" | (string & {});
  currency: string;
  /** The sum of the lines without tax. All amounts are in minor units. */
  subtotal: number;
  tax: number;
  /** `subtotal` + `tax`. */
  total: number;
  /** `total`; 0 when the invoice is VOID. */
  amountDue: number;
  /** What successful payments have paid of it; never more than `total`. */
  amountPaid: number;
  /** `amountDue` − `amountPaid`. */
  amountRemaining: number;
  /** The sum of the payments that have not ended: those in progress, and those that wait for a person and reserve nothing. */
  amountUnderWay: number;
  /** The refunded amount of what its payments paid. A refund changes neither `status` nor `amountPaid` nor `version`. */
  amountRefunded: number;
  /** What payments took although nothing, or less, was left to pay, as far as no refund returns it. [Refund](refunds.md) those payments. */
  amountToReturn: number;
  /** When the failed payment of a subscription is retried. null: no retry is scheduled, or one is in progress. */
  nextPaymentAttempt: string | null;
  channelId: number | null;
  description: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  /** The tenant as it was when the invoice was finalized. null: a DRAFT, or finalized by a version that did not record it. */
  seller: InvoiceSeller | null;
  /** YYYY-MM-DD, in UTC. */
  dueDate: string | null;
  /** When it was found unpaid after its due date. It stays when the invoice is paid later. */
  overdueTime: string | null;
  subscriptionId: number | null;
  /** When the invoiced billing period of the subscription begins. */
  periodStart: string | null;
  periodEnd: string | null;
  /** The user who created it. */
  userId: number;
  /** Rises with every change, so that a receiver can ignore outdated events. */
  version: number;
  createdTime: string;
  finalizedTime: string | null;
  paidTime: string | null;
  /** When it became VOID or UNCOLLECTIBLE. */
  closedTime: string | null;
  updatedTime: string;
  /** `description`, `quantity`, `unitAmount`, `amount`, `taxRate` (basis points, or null), `taxAmount`. */
  lines: InvoiceLine[];
  /** The newest 100, newest first: `transactionId` (null: no payment could be created), `amount`, `amountExcess` (what it took beyond what was left to pay), `state`, `automatic`, `failureCode`, `failureMessage`, `createdTime`, `finishedTime`. */
  payments: InvoicePayment[];
  /** The payment; null: there was none. */
  transactionId: string | null;
  /** Why the payment failed. */
  failureCode: string | null;
  failureMessage: string | null;
  /** Whether another channel may accept the payment, by `failureCode`. Null: none, or one of the merchant. */
  fallback: boolean | null;
  /** What may be done again, by `failureCode`: `LATER` the same, `OTHER_METHOD` only with another payment method, `WITH_PAYER` only with the payer, `NEVER` nothing. Null: no `failureCode`, or one of the merchant. */
  retry: Retry | (string & {}) | null;
}

export interface InvoiceLine {
  description: string;
  quantity: number;
  unitAmount: number;
  amount: number;
  taxRate: number | null;
  taxAmount: number;
}

export interface InvoiceLineInput {
  description: string;
  /** 1 to 1000000000. */
  quantity: number;
  /** In minor units. The price of one unit; a negative price is a credit. */
  unitAmount: number;
  /** In basis points, 0 to 10000: 1900 is 19 %. */
  taxRate?: number | null | undefined;
  /** In minor units. The tax of the line, instead of a rate. */
  taxAmount?: number | null | undefined;
}

export interface InvoiceListItem {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** Such as `INV-000001`, of a test invoice `TEST-000001`; null until the invoice is finalized. */
  number: string | null;
  customerId: number;
  status: "DRAFT" | "OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE" | (string & {});
  currency: string;
  /** The sum of the lines without tax. All amounts are in minor units. */
  subtotal: number;
  tax: number;
  /** `subtotal` + `tax`. */
  total: number;
  /** `total`; 0 when the invoice is VOID. */
  amountDue: number;
  /** What successful payments have paid of it; never more than `total`. */
  amountPaid: number;
  /** `amountDue` − `amountPaid`. */
  amountRemaining: number;
  /** The sum of the payments that have not ended: those in progress, and those that wait for a person and reserve nothing. */
  amountUnderWay: number;
  /** The refunded amount of what its payments paid. A refund changes neither `status` nor `amountPaid` nor `version`. */
  amountRefunded: number;
  /** What payments took although nothing, or less, was left to pay, as far as no refund returns it. [Refund](refunds.md) those payments. */
  amountToReturn: number;
  /** When the failed payment of a subscription is retried. null: no retry is scheduled, or one is in progress. */
  nextPaymentAttempt: string | null;
  channelId: number | null;
  description: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  /** The tenant as it was when the invoice was finalized. null: a DRAFT, or finalized by a version that did not record it. */
  seller: InvoiceSeller | null;
  /** YYYY-MM-DD, in UTC. */
  dueDate: string | null;
  /** When it was found unpaid after its due date. It stays when the invoice is paid later. */
  overdueTime: string | null;
  subscriptionId: number | null;
  /** When the invoiced billing period of the subscription begins. */
  periodStart: string | null;
  periodEnd: string | null;
  /** The user who created it. */
  userId: number;
  /** Rises with every change, so that a receiver can ignore outdated events. */
  version: number;
  createdTime: string;
  finalizedTime: string | null;
  paidTime: string | null;
  /** When it became VOID or UNCOLLECTIBLE. */
  closedTime: string | null;
  updatedTime: string;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
}

/** At least one field besides `id` is needed. */
export interface InvoiceModifyInput {
  /** A DRAFT. */
  id: number;
  /** Each with `description`, `quantity`, `unitAmount` and, for a taxed line, `taxRate` or `taxAmount`. */
  lines?: InvoiceLineInput[] | null | undefined;
  /** Shown on the invoice. null clears it. */
  description?: string | null | undefined;
  /** Keys of your own data to set; null deletes a key, and other keys stay. At most 16 KiB of JSON, 8 levels and 50 keys in all, and numbers up to 2^53 − 1. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Your own data, replaced as a whole. Only in an update, not together with `metadata`. */
  metadataReplace?: Record<string, unknown> | null | undefined;
  /** The channel to pay the invoice on. null clears it. */
  channelId?: number | null | undefined;
  /** The last day for payment, in UTC. null clears it. */
  dueDate?: string | null | undefined;
}

export interface InvoicePayInput {
  /** The invoice. */
  id: number;
  /** The channel to pay on. Default: the invoice's channel, else the customer's default channel. */
  channelId?: number | null | undefined;
  /** In minor units, 1 to 9007199254740991. Default: the remaining amount. */
  amount?: number | null | undefined;
  /** The provider's token of the payment method, charged once. */
  paymentMethod?: string | null | undefined;
  /** The customer's payment method to charge, without the payer, on its own channel. Excludes `paymentMethod`. With neither, that of the subscription or the customer's default is charged, if `channelId` is left out or is its channel; otherwise the payer chooses. */
  methodId?: string | null | undefined;
  /** MANUAL: the payment is only authorized, which reserves its amount on the invoice, and `POST /api/transaction/capture` takes and pays it. Default: AUTOMATIC. */
  captureMethod?: CaptureMethod | null | undefined;
  /** Where the payer's browser is redirected after the provider's page. Default: a page that says what became of it. */
  returnUrl?: string | null | undefined;
}

export interface InvoicePayResult {
  invoice: Invoice;
  /** The new payment. Its outcome settles the invoice. */
  transactionId: string;
}

export interface InvoicePayment {
  transactionId: string | null;
  amount: number;
  /** What it took beyond what was left to pay. */
  amountExcess: number;
  state: DeliveryState | (string & {});
  automatic: boolean;
  failureCode: string | null;
  failureMessage: string | null;
  createdTime: string;
  finishedTime: string | null;
}

/** null: there is no next invoice. */
export interface InvoicePreview {
  currency: string;
  lines: InvoiceLine[];
  /** The sum of the lines without tax. All amounts are in minor units. */
  subtotal: number;
  tax: number;
  /** `subtotal` + `tax`. */
  total: number;
  /** The rest of a credit that is carried over to the following invoice, before tax: usually 0 or negative. */
  carried: number;
  /** When the invoice will be issued. */
  invoiceTime: string;
  /** Start of the billed period; null: the invoice only contains changes. */
  periodStart: string | null;
  /** End of the billed period. */
  periodEnd: string | null;
}

/** The tenant as it was when the invoice was finalized. null: a DRAFT, or finalized by a version that did not record it. */
export interface InvoiceSeller {
  name: string;
  /** As it was sent. */
  address: Record<string, unknown> | null;
  taxId: string | null;
}

export interface InvoiceSendInput {
  /** The invoice. */
  id: number;
}

export interface InvoiceSendResult {
  id: number;
  /** The address of the customer, to which it is mailed. */
  email: string;
}

export interface InvoiceSummary {
  /** true: live. false: a test record. */
  livemode: boolean;
  /** Those with the most open invoices first. */
  currencies: InvoiceSummaryCurrency[];
}

export interface InvoiceSummaryCurrency {
  currency: string;
  /** How many invoices are OPEN. */
  open: number;
  /** How many of them are overdue. */
  overdue: number;
  /** What is left to pay of those that are OPEN, in minor units as decimal digits. */
  amountRemaining: string;
  /** What is left to pay of those that are overdue, in minor units as decimal digits. */
  amountOverdue: string;
}

export interface InvoiceVoidInput {
  /** The invoice. */
  id: number;
  /** true: the invoice becomes UNCOLLECTIBLE instead of VOID and can still be paid. */
  uncollectible?: boolean | null | undefined;
}

export interface InvoicesGetParams {
  /** The invoice. */
  id: number;
}

export interface InvoicesListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  status?: "DRAFT" | "OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE" | undefined;
  /** Only the invoice with this number, such as `INV-000001`. */
  number?: string | undefined;
  /** Only invoices with a `dueDate` on or after this day, YYYY-MM-DD. */
  dueFrom?: string | undefined;
  /** Only invoices with a `dueDate` on or before this day, YYYY-MM-DD. */
  dueTo?: string | undefined;
  /** Only invoices of this customer. */
  customerId?: number | undefined;
  /** Only invoices of this subscription. */
  subscriptionId?: number | undefined;
  /** Only rows in this currency. */
  currency?: string | undefined;
  /** Only invoices with at least this `total`, in minor units. */
  amountFrom?: number | undefined;
  /** Only invoices with at most this `total`, in minor units. */
  amountTo?: number | undefined;
  /** true: only invoices with an `amountToReturn`. */
  toReturn?: boolean | undefined;
  /** Only rows whose metadata has this value under this key: `metadata[order]=7`. Up to 5 keys, which must all match. */
  metadata?: Record<string, string> | undefined;
  /** Only rows found by their id, their number, the beginning of their description, or the mail address or external id of their customer. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface InvoicesPrintParams {
  /** The invoice. */
  id: number;
  format?: "html" | "pdf" | undefined;
}

export interface InvoicesSummaryParams {
  /** Only invoices of this customer. */
  customerId?: number | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface KeysListAllParams {
  /** Only keys of this user. */
  userId?: number | undefined;
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
}

export type LedgerAccount = "PROVIDER_RECEIVABLE" | "MERCHANT_PAYABLE" | "REFUNDS" | "PROVIDER_FEES" | "DISPUTED" | "UNAPPLIED";

export interface LedgerBalanceParams {
  /** Only this currency. */
  currency?: string | undefined;
  /** The balances at the end of this UTC day, YYYY-MM-DD. Omit for the current balances. */
  date?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface LedgerEntriesParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** Only entries of this payment and of its refunds. */
  transactionId?: string | undefined;
  account?: LedgerAccount | undefined;
  /** Only this currency. */
  currency?: string | undefined;
  /** The first day, whole and in UTC: YYYY-MM-DD. */
  startDate?: string | undefined;
  /** The last day, whole and in UTC: YYYY-MM-DD. */
  endDate?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface LedgerEntry {
  /** true: live. false: a test record. */
  livemode: boolean;
  account: LedgerAccount | (string & {});
  side: "DEBIT" | "CREDIT" | (string & {});
  /** In minor units. */
  amount: number;
  currency: string;
  /** The account on the other side of the same transfer. */
  counterAccount: LedgerAccount | (string & {});
  /** The payment. */
  transactionId: string;
  /** The refund of this entry; null: it is of the payment or a capture. */
  refundId: string | null;
  /** The capture of this entry; null: it is of a refund, or of a payment that is captured automatically. */
  captureId: string | null;
  /** The dispute whose funds or fee this is; null: it is none. */
  disputeId: string | null;
  /** The channel through which the money moved. */
  channelId: number;
  /** The time of the entry. */
  createdTime: string;
}

export interface ListedRequest {
  /** `req_` and a time-ordered body. */
  id: string;
  /** The mode of the key, or of the records in the answer; null: neither. */
  livemode: boolean | null;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
  /** When it was answered. */
  createdTime: string;
  method: "GET" | "HEAD" | "POST" | (string & {});
  /** Without the query. */
  path: string;
  /** The HTTP status of the answer. */
  status: number;
  /** From the first byte of the request to the end of the answer. */
  durationMs: number;
  /** The `X-Request-Id` of the answer. Callers can choose it, so it need not be unique. */
  requestId: string;
  /** How the caller was authenticated. */
  by: "session" | "key" | (string & {});
  /** The user, or the owner of the key. */
  userId: number;
  /** The developer key that was used. */
  keyId: number | null;
  /** The type of the refusal; null: the request succeeded. */
  errorType: string | null;
  /** The caller's IP address. */
  address?: string | null | undefined;
  /** The `User-Agent` header; at most 200 characters. */
  userAgent?: string | null | undefined;
  /** The `Idempotency-Key` header. */
  idempotencyKey?: string | null | undefined;
  /** The refusal; null: the request succeeded. */
  error?: ListedRequestError | null | undefined;
}

/** The refusal; null: the request succeeded. */
export interface ListedRequestError {
  /** One of [errors](../errors.md). */
  type: string;
  field: string | null;
  /** At most 500 characters. */
  message: string;
}

export interface LoginInput {
  /** User name or e-mail address, in any case. */
  account: string;
  password: string;
}

export interface LoginResult {
  token: TokenPair;
  userType: "PLATFORM_ADMIN" | "MERCHANT_ADMIN" | "MERCHANT_USER" | (string & {});
  /** null: the platform's own tenant. */
  tenantId: string | null;
  /** STANDALONE or CLUSTER. */
  deploymentMode: string;
  userName: string;
  userId: number;
}

export interface LogoutInput {
  /** true: end every session of the user. */
  all?: boolean | null | undefined;
}

export interface OwnedDeveloperKey {
  id: number;
  /** First four characters, `...`, last four. */
  skMasked: string;
  /** true: for live records. false: for test records. */
  livemode: boolean;
  /** Comma-separated scope names. */
  scope: string;
  /** 1: active. 0: revoked. */
  state: number;
  name: string | null;
  createdTime: string;
  /** null when never updated. */
  updatedTime: string | null;
  /** null: the key never expires. */
  expiresTime: string | null;
  /** Accurate to one minute; null when never used. */
  lastUsedTime: string | null;
  /** The address from which it was last used. */
  lastUsedAddress: string | null;
  /** The addresses from which it is accepted; empty: from anywhere. */
  allowedAddresses: string[];
  /** The key that replaced it by rotation. */
  replacedBy: number | null;
  userId: number;
  userName: string;
  /** null: the platform's own tenant. */
  tenantId: string | null;
}

export interface Passkey {
  id: string;
  name: string;
  /** Whether a provider keeps a copy, so that the passkey survives the loss of the device. */
  backedUp: boolean;
  createdTime: string;
  lastUsedTime: string | null;
}

export interface PasskeyLoginBeginInput {
  /** `error.details.challenge` of the answer to login. Left out: the passkey is the only step. */
  challenge?: string | null | undefined;
}

export interface PasskeyLoginInput {
  /** `error.details.challenge` of the answer to login. Left out: the passkey is the only step. */
  challenge?: string | null | undefined;
  /** What `navigator.credentials.get()` answered, as its `toJSON()` writes it. */
  credential: PasskeyLoginInputCredential;
}

/** What `navigator.credentials.get()` answered, as its `toJSON()` writes it. */
export interface PasskeyLoginInputCredential {
  id: string;
  rawId: string;
  type: "public-key";
  response: PasskeyLoginInputCredentialResponse;
}

export interface PasskeyLoginInputCredentialResponse {
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string | null | undefined;
}

export interface PasskeyModifyInput {
  /** A passkey's id. */
  id: string;
  /** A label for its user, such as the device it is on. */
  name: string;
}

export interface PasskeyOptions {
  /** For the browser: `PublicKeyCredential.parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()` reads it. Valid for 5 minutes and one answer. */
  options: Record<string, unknown>;
}

export interface PasskeyRegisterInput {
  /** A label for its user, such as the device it is on. */
  name?: string | null | undefined;
  /** What `navigator.credentials.create()` answered, as its `toJSON()` writes it. */
  credential: PasskeyRegisterInputCredential;
}

/** What `navigator.credentials.create()` answered, as its `toJSON()` writes it. */
export interface PasskeyRegisterInputCredential {
  id: string;
  rawId: string;
  type: "public-key";
  response: PasskeyRegisterInputCredentialResponse;
}

export interface PasskeyRegisterInputCredentialResponse {
  clientDataJSON: string;
  attestationObject: string;
  transports?: string[] | null | undefined;
}

export interface PasskeyRemoveInput {
  /** A passkey's id. */
  id: string;
}

export interface PasskeyStepUpBeginInput {

}

export interface PasskeyStepUpInput {
  /** What `navigator.credentials.get()` answered, as its `toJSON()` writes it. */
  credential: PasskeyLoginInputCredential;
}

export interface PaymentMethod {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  customerId: number;
  /** The channel whose provider keeps it. Only that channel can charge it. */
  channelId: number;
  type: PaymentMethodType | (string & {});
  /** The provider's word for the type. */
  providerType: string | null;
  brand: string | null;
  /** The last four digits of the card or account. */
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  bankName: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** Equal for the same card or account at the same provider account. */
  fingerprint: string | null;
  /** What the payer's bank shows of a debit's mandate. */
  mandateReference: string | null;
  mandateUrl: string | null;
  agreement: PaymentMethodAgreement | (string & {});
  status: PaymentMethodStatus | (string & {});
  /** At most one method of a customer is the default. */
  isDefault: boolean;
  /** What the payer must do before the method can be charged: `type` (`redirect`, `confirm`), `url`. */
  nextAction: Record<string, unknown> | null;
  /** The last definite failure. */
  failureCode: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
}

export type PaymentMethodAgreement = "SUBSCRIPTION" | "UNSCHEDULED";

export interface PaymentMethodDefaultInput {
  /** `mtd_` and a time-ordered part. */
  id: string;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface PaymentMethodDetachInput {
  /** `mtd_` and a time-ordered part. */
  id: string;
  /** Another method of the customer, for the subscriptions that name this one. */
  replaceWith?: string | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface PaymentMethodListItem {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  customerId: number;
  /** The channel whose provider keeps it. Only that channel can charge it. */
  channelId: number;
  type: PaymentMethodType | (string & {});
  /** The provider's word for the type. */
  providerType: string | null;
  brand: string | null;
  /** The last four digits of the card or account. */
  last4: string | null;
  expiryMonth: number | null;
  expiryYear: number | null;
  bankName: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  /** Equal for the same card or account at the same provider account. */
  fingerprint: string | null;
  /** What the payer's bank shows of a debit's mandate. */
  mandateReference: string | null;
  mandateUrl: string | null;
  agreement: PaymentMethodAgreement | (string & {});
  status: PaymentMethodStatus | (string & {});
  /** At most one method of a customer is the default. */
  isDefault: boolean;
  /** What the payer must do before the method can be charged: `type` (`redirect`, `confirm`), `url`. */
  nextAction: Record<string, unknown> | null;
  /** The last definite failure. */
  failureCode: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
}

export interface PaymentMethodSetupInput {
  /** The customer who can be charged with it. */
  customerId: number;
  /** The channel whose provider keeps it. */
  channelId: number;
  /** A token of the provider's own form (Stripe: `pm_…`). Without one, `nextAction` leads the payer. */
  token?: string | null | undefined;
  /** The provider's id of its customer (Stripe: `cus_…`), if the provider keeps the `token` (Stripe: `pm_…`, `card_…`, `src_…`) for that customer already. The method is only read at the provider, and nothing is asked of the payer. A method that is known here already is the answer. */
  customerReference?: string | null | undefined;
  /** The account of a SEPA direct debit, instead of a token. Needs `consent`. */
  bankAccount?: PaymentMethodSetupInputBankAccount | null | undefined;
  type?: PaymentMethodType | null | undefined;
  /** Where the payer's browser is redirected after the provider's page. Default: a page that says what became of it. */
  returnUrl?: string | null | undefined;
  /** Whether it becomes the default of the customer once it is ACTIVE. Default: where the customer has none. */
  isDefault?: boolean | null | undefined;
  consent?: PaymentMethodSetupInputConsent | null | undefined;
  agreement?: PaymentMethodAgreement | null | undefined;
  /** Your own data: at most 16 KiB of JSON, 8 levels, 50 keys, numbers up to 2^53 − 1. Returned as it was sent. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

/** The account of a SEPA direct debit, instead of a token. Needs `consent`. */
export interface PaymentMethodSetupInputBankAccount {
  /** One line of 1 to 200 characters, without control characters. */
  holder: string;
  iban: string;
}

export interface PaymentMethodSetupInputConsent {
  /** The payer's IP address. */
  ipAddress: string;
  /** The payer's browser. */
  userAgent: string;
  /** When the payer agreed, in ISO 8601. */
  acceptedTime: string;
}

export type PaymentMethodStatus = "PENDING" | "ACTIVE" | "FAILED" | "EXPIRED" | "REVOKED" | "DETACHED";

export type PaymentMethodType = "card" | "sepa_debit" | "bacs_debit" | "ach_debit" | "becs_debit" | "pad_debit" | "paypal" | "other";

export interface PaymentMethodsGetParams {
  /** `mtd_` and a time-ordered part. */
  id: string;
}

export interface PaymentMethodsListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** Only methods of this customer. */
  customerId?: number | undefined;
  status?: PaymentMethodStatus | undefined;
  /** Only methods that the provider of this channel keeps. */
  channelId?: number | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface Plan {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** null: the platform's own tenant. */
  tenantId: string | null;
  name: string;
  currency: string;
  /** In minor units. */
  amount: number;
  /** The unit of the billing interval. */
  interval: "day" | "week" | "month" | "year" | (string & {});
  intervalCount: number;
  trialDays: number;
  /** null: the customer's default channel. */
  channelId: number | null;
  /** In basis points; null: untaxed. */
  taxRate: number | null;
  /** What payers read on the statement of their card or account. */
  statementDescriptor: string | null;
  state: boolean;
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

/** Without `id` it creates, and needs `name`, `currency`, `amount`, `interval`, `state`. */
export interface PlanModifyInput {
  /** Omit to create. */
  id?: number | null | undefined;
  /** Shown on the invoices. */
  name?: string | null | undefined;
  /** An upper-case ISO 4217 currency code such as USD, not that of a fund or a metal. */
  currency?: string | null | undefined;
  /** The price of one unit for a period, in minor units, 0 to 9007199254740991. A new amount applies to each period that is invoiced after the change. */
  amount?: number | null | undefined;
  /** The unit of the billing interval. */
  interval?: "day" | "week" | "month" | "year" | null | undefined;
  /** How many units a period lasts: at most 365 days, 104 weeks, 120 months, 10 years. Default 1; an update keeps it. */
  intervalCount?: number | null | undefined;
  /** Free days before the first period; a subscription may set its own. Default 0; an update keeps it. */
  trialDays?: number | null | undefined;
  /** The channel to pay its invoices on. Default: the customer's default channel; an update keeps it. */
  channelId?: number | null | undefined;
  /** The tax on top of the amount, in basis points, 0 to 10000: 1900 is 19 %. null: untaxed. Default null; an update keeps it. A new rate applies from the next period on. */
  taxRate?: number | null | undefined;
  /** What payers read on the statement of their card or account, where the provider takes it. Of its payments. Default: the channel's; an update keeps it, null clears it. */
  statementDescriptor?: string | null | undefined;
  /** Whether it is live (true) or for tests (false); never changes. Default: the mode of the key; for a session the mode of its channel, or live. */
  livemode?: boolean | null | undefined;
  /** false: no new subscriptions. Existing ones continue. */
  state?: boolean | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface PlansGetParams {
  /** The plan. */
  id: number;
}

export interface PlansListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** Only plans that can (true) or cannot (false) be subscribed to. */
  state?: boolean | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface Readiness {
  status: string;
  /** The disk of the embedded PostgreSQL. Absent where the database is elsewhere. */
  storage?: ReadinessStorage | undefined;
}

/** The disk of the embedded PostgreSQL. Absent where the database is elsewhere. */
export interface ReadinessStorage {
  /** What is left of it. */
  freeBytes: number;
  /** Its size. */
  totalBytes: number;
}

export interface RecentCharges {
  channelId: number;
  channelName: string;
  /** Charges that ended in the last 24 hours: in whole UTC hours, with the one that has begun. */
  recent: RecentChargesRecent;
  /** Charges that ended in the seven days before those. */
  before: RecentChargesRecent;
}

/** Charges that ended in the last 24 hours: in whole UTC hours, with the one that has begun. */
export interface RecentChargesRecent {
  /** Ended charges: how many `succeeded`, `failed` (even if a fallback channel then succeeded) and were `cancelled`. */
  charges: StatisticsSummaryCharges | null;
  /** succeeded ÷ (succeeded + failed), from 0 to 1, rounded to four digits. Null without such charges. */
  successRate: number | null;
}

export interface RecoveryCodes {
  /** Ten codes, each for one use. Not shown again. */
  recoveryCodes: string[];
}

export interface RefreshInput {
  refreshToken: string;
}

export interface RefreshResult {
  /** JWT. Send it as `Authorization: Bearer …`. */
  accessToken: string;
  /** JWT. Accepted only by the refresh endpoint. */
  refreshToken: string;
  /** Lifetime of the access token, in seconds. */
  expiresIn: number;
  tokenType: "Bearer";
  token: TokenPair;
}

export interface Refund {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  transactionId: string;
  /** In minor units. */
  amount: number;
  currency: string;
  /** SUCCESS can still become FAILED: a bank may return the money days later. */
  status: RefundStatus | (string & {});
  reason: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  /** The user who created it; null: Florin did by itself, or it was made elsewhere. */
  userId: number | null;
  /** PROVIDER: made elsewhere, and told by the provider. */
  origin: "FLORIN" | "PROVIDER" | (string & {});
  /** Why the refund failed. */
  failureCode: string | null;
  failureMessage: string | null;
  /** The provider's id of the refund. */
  providerReference: string | null;
  createdTime: string;
  updatedTime: string;
}

export interface RefundCreateInput {
  /** `txn_` and a time-ordered part. */
  transactionId: string;
  /** In minor units of the payment's currency, 1 to 9007199254740991. Default: all that is left. */
  amount?: number | null | undefined;
  reason?: string | null | undefined;
  /** Your own data: at most 16 KiB of JSON, 8 levels, 50 keys, numbers up to 2^53 − 1. Returned as it was sent. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface RefundListItem {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  transactionId: string;
  /** In minor units. */
  amount: number;
  currency: string;
  /** SUCCESS can still become FAILED: a bank may return the money days later. */
  status: RefundStatus | (string & {});
  reason: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  /** The user who created it; null: Florin did by itself, or it was made elsewhere. */
  userId: number | null;
  /** PROVIDER: made elsewhere, and told by the provider. */
  origin: "FLORIN" | "PROVIDER" | (string & {});
  /** Why the refund failed. */
  failureCode: string | null;
  failureMessage: string | null;
  /** The provider's id of the refund. */
  providerReference: string | null;
  createdTime: string;
  updatedTime: string;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
  /** The payment's channel. */
  channelId: number;
  /** The payment's customer. */
  customerId: number | null;
}

export type RefundStatus = "PENDING" | "PROCESSING" | "SUCCESS" | "FAILED" | "CANCELLED";

export interface RefundsGetParams {
  /** `ref_` and a time-ordered part. */
  id: string;
}

export interface RefundsListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  status?: RefundStatus | undefined;
  /** Only refunds of payments through this channel. */
  channelId?: number | undefined;
  /** Only refunds created by this user or with one of their keys. */
  userId?: number | undefined;
  /** Only refunds of payments of this customer. */
  customerId?: number | undefined;
  /** Only refunds of payments of this invoice. */
  invoiceId?: number | undefined;
  /** Only rows in this currency. */
  currency?: string | undefined;
  /** Only refunds of at least this amount, in minor units. */
  amountFrom?: number | undefined;
  /** Only refunds of at most this amount, in minor units. */
  amountTo?: number | undefined;
  /** Only rows whose metadata has this value under this key: `metadata[order]=7`. Up to 5 keys, which must all match. */
  metadata?: Record<string, string> | undefined;
  /** Only refunds of this payment. */
  transactionId?: string | undefined;
  /** Only refunds that the provider knows by this id (`providerReference`). */
  providerReference?: string | undefined;
  /** Only rows found by their id, the id of their payment, the provider's id or the beginning of their reason. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface RegisteredPasskey {
  passkey: Passkey;
  /** Ten codes, each for one use, with the first second factor of the user. Not shown again. Otherwise null. */
  recoveryCodes: string[] | null;
  token?: TokenPair | undefined;
}

export interface RegisteredWebhookEndpoint {
  id: number;
  /** true: receives events of live records. false: of test records. */
  livemode: boolean;
  url: string;
  events: (WebhookEventPattern | (string & {}))[];
  /** true: deliveries are sent. */
  state: boolean;
  createdTime: string;
  /** The generated secret, if the request had none. Never shown again. */
  secret?: string | undefined;
}

export interface Request {
  /** `req_` and a time-ordered body. */
  id: string;
  /** The mode of the key, or of the records in the answer; null: neither. */
  livemode: boolean | null;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
  /** When it was answered. */
  createdTime: string;
  method: "GET" | "HEAD" | "POST" | (string & {});
  /** Without the query. */
  path: string;
  /** The HTTP status of the answer. */
  status: number;
  /** From the first byte of the request to the end of the answer. */
  durationMs: number;
  /** The `X-Request-Id` of the answer. Callers can choose it, so it need not be unique. */
  requestId: string;
  /** How the caller was authenticated. */
  by: "session" | "key" | (string & {});
  /** The user, or the owner of the key. */
  userId: number;
  /** The developer key that was used. */
  keyId: number | null;
  /** The type of the refusal; null: the request succeeded. */
  errorType: string | null;
  /** The caller's IP address. */
  address: string | null;
  /** The `User-Agent` header; at most 200 characters. */
  userAgent: string | null;
  /** The `Idempotency-Key` header. */
  idempotencyKey: string | null;
  /** The refusal; null: the request succeeded. */
  error: ListedRequestError | null;
}

export interface RequestsGetParams {
  /** `req_` and a time-ordered body. */
  id: string;
}

export interface RequestsListParams {
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  method?: "GET" | "HEAD" | "POST" | undefined;
  /** Only requests whose path begins like this: `/api/transaction/`. */
  path?: string | undefined;
  /** Only requests that were answered with this status (`409`), or with one that begins alike (`4xx`). */
  status?: string | undefined;
  /** Only requests that were refused with this type. */
  errorType?: string | undefined;
  /** Only requests of this user, with or without a key. */
  userId?: number | undefined;
  /** Only requests with this developer key. */
  keyId?: number | undefined;
  /** Only requests with a developer key, or only those of sessions. */
  by?: "session" | "key" | undefined;
  /** Only requests with this `X-Request-Id`. */
  requestId?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** Only requests about live records (true) or test records (false). Default: the mode of the key; all for a session. */
  livemode?: boolean | undefined;
  /** Further fields of the rows: `address`, `userAgent`, `idempotencyKey`, `error`. */
  fields?: string | undefined;
}

export interface ResetPasswordInput {
  /** The reset token received by e-mail. */
  token: string;
  /** At least 6 characters (`app.password.min-length`), at most 1024 bytes, not a commonly used password. Spaces in a row count as one, and Unicode forms of a letter are the same. */
  newPassword: string;
}

export type Retry = "LATER" | "OTHER_METHOD" | "WITH_PAYER" | "NEVER";

export interface SearchFindParams {
  /** Words, all of which a record must have, in any order: without regard to case and accents, and each anywhere in a word of the record. A word of one character counts beside others only. */
  q: string;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
}

export interface SearchResult {
  /** Newest first, 20 at most. Absent without the scope to read them. */
  payments?: SearchResultPayment[] | undefined;
  /** Newest first, 20 at most. Absent without the scope to read them. */
  customers?: SearchResultCustomer[] | undefined;
  /** Newest first, 20 at most. Absent without the scope to read them. */
  invoices?: SearchResultInvoice[] | undefined;
  /** Newest first, 20 at most. Absent without the scope to read them. */
  subscriptions?: SearchResultSubscription[] | undefined;
  /** false: the search was ended after a second, and more may exist. */
  complete: boolean;
}

export interface SearchResultCustomer {
  id: number;
  name: string;
  email: string | null;
  createdTime: string;
}

export interface SearchResultInvoice {
  id: number;
  number: string | null;
  /** In minor units. */
  total: number;
  currency: string;
  status: "DRAFT" | "OPEN" | "PAID" | "VOID" | "UNCOLLECTIBLE" | (string & {});
  /** As the customer is called now. */
  customerName: string | null;
  createdTime: string;
}

export interface SearchResultPayment {
  id: string;
  /** In minor units. */
  amount: number;
  currency: string;
  status: TransactionStatus | (string & {});
  /** What was taken: `amount` from SUCCESS on, or what captures took. */
  amountCaptured: number;
  /** A payment is REFUNDED from its first refund on; this is how much of it. */
  amountRefunded: number;
  description: string | null;
  /** As the customer is called now. */
  customerName: string | null;
  createdTime: string;
}

export interface SearchResultSubscription {
  id: number;
  state: SubscriptionState | (string & {});
  planName: string;
  /** As the customer is called now. */
  customerName: string | null;
  createdTime: string;
}

export interface SecondFactor {
  /** Whether an authenticator app is enrolled. */
  active: boolean;
  /** Since when; null: not yet. */
  confirmedTime: string | null;
  /** How many passkeys the user has. With an app or a passkey, logins need a second step. */
  passkeys: number;
  recoveryCodesLeft: number;
}

export interface SecondFactorBeginInput {
  /** Of the caller. */
  password: string;
}

export interface SecondFactorCodeInput {
  /** The 6 digits of the authenticator app, or a recovery code. Each works once. */
  code: string;
}

export interface SecondFactorEnrolled {
  /** Ten codes, each for one use. Not shown again. */
  recoveryCodes: string[];
  token?: TokenPair | undefined;
}

export interface SecondFactorEnrolment {
  /** In base32, to type into an authenticator app. Not shown again. */
  secret: string;
  /** The same as an `otpauth:` address, to show as a QR code. */
  uri: string;
}

export interface SecondFactorLoginInput {
  /** `error.details.challenge` of the answer to login. Valid for 5 minutes, 5 tries and one login. */
  challenge: string;
  /** The 6 digits of the authenticator app, or a recovery code. Each works once. */
  code: string;
}

export interface SecondFactorRevokeInput {
  /** The user. */
  id: number;
}

export interface Seller {
  /** The tenant; 0: the platform's own. */
  id: number;
  name: string;
  /** As it was sent. */
  address: Record<string, unknown> | null;
  taxId: string | null;
  brandColor: string | null;
  /** As a `data:` address. */
  logo: string | null;
  customerMails: boolean;
  mailLanguage: "en" | "de" | (string & {});
  /** As they were sent; null: there are none. */
  mailTexts: Record<string, unknown> | null;
  reopenInvoices: "NEVER" | "RETURNED" | "ALWAYS" | (string & {});
  /** Days to pay an invoice that is finalized without a `dueDate`, unless the customer has its own. */
  dueDays: number;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

export interface SellerModifyInput {
  /** The caller's tenant, or for a PLATFORM_ADMIN any; 0: the platform's own. */
  id: number;
  /** The seller on invoices and pages. */
  name?: string | null | undefined;
  /** `line1`, `line2`, `city` and `state` of at most 200 characters, `postalCode` of at most 40, and `country`, an ISO 3166-1 alpha-2 code such as US. All are optional; an update replaces the whole address. null clears it. */
  address?: TenantModifyInputAddress | null | undefined;
  /** The tax number of the seller on its invoices, in any notation. null clears it. */
  taxId?: string | null | undefined;
  /** The colour of the button on the pages of payers, as `#1d4ed8`. Its text is black or white, whichever is easier to read. null: the default. */
  brandColor?: string | null | undefined;
  /** A PNG or JPEG file of at most 40 KiB in base64, or as a `data:` address. null removes it. */
  logo?: string | null | undefined;
  /** true: customers with an e-mail address are mailed invoices, receipts and failed payments, not about test invoices. An update without it keeps the present value. */
  customerMails?: boolean | null | undefined;
  /** The language of these mails, and of the page and the PDF of an invoice. An update without it keeps the present value. */
  mailLanguage?: "en" | "de" | null | undefined;
  /** Your own texts of these mails, by language (`en`, `de`) and mail (`invoice`, `receipt`, `paymentFailed`, `lastPaymentFailed`), each with `subject` and `body`. They replace all earlier ones; null removes them. Placeholders: `{customer}`, `{seller}`, `{number}`, `{amount}` and `{link}` in all, `{dueDate}` in `invoice`, `{paidOn}` in `receipt`, `{nextAttempt}` in `paymentFailed`. */
  mailTexts?: SellerModifyInputMailTexts | null | undefined;
  /** Which disputes that are lost reopen the invoice that their payment had paid: NEVER, RETURNED (reason `returned` or `not_authorized`), or ALWAYS. An update without it keeps the present value. */
  reopenInvoices?: "NEVER" | "RETURNED" | "ALWAYS" | null | undefined;
  /** How many days customers have to pay an invoice that is finalized without a `dueDate` of its own; 0: it is due at once. A customer may have `dueDays` of its own. An update without it keeps the present value. */
  dueDays?: number | null | undefined;
}

/** Your own texts of these mails, by language (`en`, `de`) and mail (`invoice`, `receipt`, `paymentFailed`, `lastPaymentFailed`), each with `subject` and `body`. They replace all earlier ones; null removes them. Placeholders: `{customer}`, `{seller}`, `{number}`, `{amount}` and `{link}` in all, `{dueDate}` in `invoice`, `{paidOn}` in `receipt`, `{nextAttempt}` in `paymentFailed`. */
export interface SellerModifyInputMailTexts {
  en?: SellerModifyInputMailTextsEn | null | undefined;
  de?: SellerModifyInputMailTextsEn | null | undefined;
}

export interface SellerModifyInputMailTextsEn {
  invoice?: SellerModifyInputMailTextsEnInvoice | null | undefined;
  debitAnnounced?: SellerModifyInputMailTextsEnInvoice | null | undefined;
  receipt?: SellerModifyInputMailTextsEnInvoice | null | undefined;
  paymentFailed?: SellerModifyInputMailTextsEnInvoice | null | undefined;
  lastPaymentFailed?: SellerModifyInputMailTextsEnInvoice | null | undefined;
  confirmationNeeded?: SellerModifyInputMailTextsEnInvoice | null | undefined;
  otherMethodNeeded?: SellerModifyInputMailTextsEnInvoice | null | undefined;
  reminder?: SellerModifyInputMailTextsEnInvoice | null | undefined;
}

export interface SellerModifyInputMailTextsEnInvoice {
  /** One line of 1 to 200 characters, without control characters. */
  subject: string;
  /** Plain text. An empty line begins a new paragraph. */
  body: string;
}

export interface SellersGetParams {
  /** The caller's tenant, or for a PLATFORM_ADMIN any; 0: the platform's own. */
  id: number;
}

export interface Session {
  id: string;
  /** The User-Agent header of the login. */
  device: string | null;
  /** The address from which it was last used. */
  address: string | null;
  /** true: the session of this request. */
  current: boolean;
  createdTime: string;
  /** Accurate to one minute. */
  lastUsedTime: string | null;
  /** When it ends at the latest. */
  expiresTime: string;
}

export interface SessionRevokeInput {
  /** End this session. */
  id?: string | null | undefined;
  /** true: end every session, this one included. */
  all?: boolean | null | undefined;
}

export interface StartedWebhookReplay {
  /** The new delivery. null when `endpointId` was given. */
  deliveryId: string | null;
  /** The replay, for `/api/webhook/replay/detail`. null when `deliveryId` was given. */
  replayId: string | null;
}

export interface StatisticsRecentParams {
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface StatisticsRow {
  /** YYYY-MM-DD, in UTC. */
  day: string;
  /** Grouped by channel. */
  channelId?: number | undefined;
  /** Grouped by channel. */
  channelName?: string | undefined;
  /** Grouped by status. */
  status?: TransactionStatus | (string & {}) | undefined;
  /** Grouped by currency. */
  currency?: string | undefined;
  /** Number of payments. */
  count: number;
  /** Number and amount by currency: `currency`, `count`, and `amount` as a string of minor units. */
  amounts: StatisticsSummaryAmount[];
  /** Ended charges: how many `succeeded`, `failed` (even if a fallback channel then succeeded) and were `cancelled`. */
  charges: StatisticsSummaryCharges | null;
  /** succeeded ÷ (succeeded + failed), from 0 to 1, rounded to four digits. Null without such charges. */
  successRate: number | null;
}

export interface StatisticsSeriesParams {
  /** The first day (UTC, YYYY-MM-DD), inclusive. Default: 29 days before `endDate`. */
  startDate?: string | undefined;
  /** The last day (UTC, YYYY-MM-DD), inclusive. Default: today. */
  endDate?: string | undefined;
  /** Only payments through this channel. */
  channelId?: number | undefined;
  /** Only payments in this currency. */
  currency?: string | undefined;
  status?: TransactionStatus | undefined;
  /** Only payments created by this user or with one of their keys. */
  userId?: number | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** One row for each day and each of these. Default: one row for each day. */
  groupBy?: "channel" | "status" | "currency" | undefined;
}

export interface StatisticsSummary {
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The first day. */
  startDate: string;
  /** The last day, inclusive. */
  endDate: string;
  /** Number of payments. */
  count: number;
  /** Number and amount by currency: `currency`, `count`, and `amount` as a string of minor units. */
  amounts: StatisticsSummaryAmount[];
  /** Ended charges: how many `succeeded`, `failed` (even if a fallback channel then succeeded) and were `cancelled`. */
  charges: StatisticsSummaryCharges | null;
  /** succeeded ÷ (succeeded + failed), from 0 to 1, rounded to four digits. Null without such charges. */
  successRate: number | null;
  /** How many disputes began, by the UTC day on which Florin learned of them; without inquiries and money that came back without a dispute. Null with a filter by user or status. */
  disputes: number | null;
  /** disputes ÷ charges that succeeded, rounded to four digits. Null without such charges. */
  disputeRate: number | null;
  /** The same `count` and `amounts` by `status`. */
  statuses: StatisticsSummaryStatuse[];
  /** All of the above by `channelId` and `channelName`. */
  channels: StatisticsSummaryChannel[];
}

export interface StatisticsSummaryAmount {
  currency: string;
  count: number;
  /** In minor units, as decimal digits: a sum may exceed 2^53. */
  amount: string;
}

export interface StatisticsSummaryChannel {
  channelId: number;
  channelName: string;
  /** Number of payments. */
  count: number;
  /** Number and amount by currency: `currency`, `count`, and `amount` as a string of minor units. */
  amounts: StatisticsSummaryAmount[];
  /** Ended charges: how many `succeeded`, `failed` (even if a fallback channel then succeeded) and were `cancelled`. */
  charges: StatisticsSummaryCharges | null;
  /** succeeded ÷ (succeeded + failed), from 0 to 1, rounded to four digits. Null without such charges. */
  successRate: number | null;
  /** How many disputes began, by the UTC day on which Florin learned of them; without inquiries and money that came back without a dispute. Null with a filter by user or status. */
  disputes: number | null;
  /** disputes ÷ charges that succeeded, rounded to four digits. Null without such charges. */
  disputeRate: number | null;
}

/** Ended charges: how many `succeeded`, `failed` (even if a fallback channel then succeeded) and were `cancelled`. */
export interface StatisticsSummaryCharges {
  succeeded: number;
  failed: number;
  cancelled: number;
}

export interface StatisticsSummaryParams {
  /** The first day (UTC, YYYY-MM-DD), inclusive. Default: 29 days before `endDate`. */
  startDate?: string | undefined;
  /** The last day (UTC, YYYY-MM-DD), inclusive. Default: today. */
  endDate?: string | undefined;
  /** Only payments through this channel. */
  channelId?: number | undefined;
  /** Only payments in this currency. */
  currency?: string | undefined;
  status?: TransactionStatus | undefined;
  /** Only payments created by this user or with one of their keys. */
  userId?: number | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface StatisticsSummaryStatuse {
  status: TransactionStatus | (string & {});
  /** Number of payments. */
  count: number;
  /** Number and amount by currency: `currency`, `count`, and `amount` as a string of minor units. */
  amounts: StatisticsSummaryAmount[];
}

export interface StepUp {
  steppedUpUntil: string;
  token?: TokenPair | undefined;
}

export interface Subscription {
  id: number;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The id in your own or in a former system. */
  externalId: string | null;
  /** null: the platform's own tenant. */
  tenantId: string | null;
  customerId: number;
  planId: number;
  quantity: number;
  /** The price of one unit in the current period, in minor units. */
  unitAmount: number;
  /** The tax rate of the current period, in basis points; null: untaxed. */
  taxRate: number | null;
  currency: string;
  state: SubscriptionState | (string & {});
  /** The plan from the next period on; null: unchanged. */
  nextPlanId: number | null;
  /** The quantity from the next period on; null: unchanged. */
  nextQuantity: number | null;
  /** null: the plan's, else the customer's. */
  channelId: number | null;
  /** The payment method that renewals are charged with; null: the customer's default. */
  methodId: string | null;
  timeZone: string;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  /** The user who created it. */
  userId: number;
  /** When the current period or trial began. */
  periodStart: string;
  /** When the next period begins. */
  periodEnd: string;
  /** null: no trial. */
  trialEnd: string | null;
  /** When it expires; null: no end. */
  endTime: string | null;
  cancelAtPeriodEnd: boolean;
  /** When the first of its failed payments is retried. null: no retry is scheduled, or one is in progress. */
  nextPaymentAttempt: string | null;
  /** When it was paused; null: it is not PAUSED. */
  pausedTime: string | null;
  /** When it was CANCELLED or EXPIRED. */
  endedTime: string | null;
  /** Rises with every change, so that a receiver can ignore outdated events. */
  version: number;
  createdTime: string;
  updatedTime: string;
}

export interface SubscriptionCancelInput {
  /** The subscription's id. */
  id: number;
  /** true: cancel at the end of the current period. false: at once. Nothing is refunded. */
  cancelAtPeriodEnd?: boolean | null | undefined;
}

export interface SubscriptionCreateInput {
  /** The customer who pays. */
  customerId: number;
  /** The id of the subscription in your own or in a former system. Unique in the tenant among the subscriptions of one mode; it cannot be changed. */
  externalId?: string | null | undefined;
  /** The plan to subscribe to. */
  planId: number;
  /** How many units of the plan are charged, 1 to 1000000. */
  quantity?: number | null | undefined;
  /** Days before the first period, instead of the plan's `trialDays`. 0 to 730. */
  trialDays?: number | null | undefined;
  /** When the first period begins, instead of `trialDays`. All periods are counted from it. At most 730 days ahead. */
  trialEnd?: string | null | undefined;
  /** The end of the period that has begun, if a former system has billed it. The subscription is ACTIVE at once, and its first invoice is issued then. Without a trial, also the plan's. */
  billedUntil?: string | null | undefined;
  /** Only with `billedUntil`, and default that: when it began in the former system. Periods are counted from it, so that one that began on the 31st keeps the 31st. `billedUntil` must be the end of one of them. */
  startTime?: string | null | undefined;
  /** When the subscription expires. The last period ends then and is prorated. Without it, the subscription has no end. */
  endTime?: string | null | undefined;
  /** The channel to pay its invoices on; null: the plan's, else the customer's. */
  channelId?: number | null | undefined;
  /** The customer's payment method that renewals are charged with, on its own channel; null: the customer's default. On a change, failed invoices are tried again at once. */
  methodId?: string | null | undefined;
  /** IANA time zone in which billing periods start, such as `Europe/Zurich`. */
  timeZone?: string | null | undefined;
  /** Your own data: at most 16 KiB of JSON, 8 levels, 50 keys, numbers up to 2^53 − 1. Returned as it was sent. */
  metadata?: Record<string, unknown> | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface SubscriptionIdInput {
  /** The subscription's id. */
  id: number;
}

export type SubscriptionState = "TRIALING" | "ACTIVE" | "PAST_DUE" | "PAUSED" | "CANCELLED" | "EXPIRED";

export interface SubscriptionSummary {
  /** true: live. false: a test record. */
  livemode: boolean;
  /** The first day. */
  startDate: string;
  /** The last day, inclusive. */
  endDate: string;
  /** Those with the most active subscriptions first. */
  currencies: SubscriptionSummaryCurrency[];
}

export interface SubscriptionSummaryCurrency {
  currency: string;
  /** How many are ACTIVE or PAST_DUE now. */
  active: number;
  /** How many were created on these days. */
  begun: number;
  /** How many were CANCELLED or EXPIRED on these days. */
  ended: number;
  /** What those that are ACTIVE or PAST_DUE cost in a month, without tax, in minor units as decimal digits: a year has 12 months or 365.25 days, and each subscription is rounded. */
  monthlyAmount: string;
}

/** At least one field besides `id` is needed. */
export interface SubscriptionUpdateInput {
  /** The subscription's id. */
  id: number;
  /** Another plan in the same currency. It takes effect at once, or with the next period if its interval differs. */
  planId?: number | null | undefined;
  /** How many units of the plan are charged, 1 to 1000000. */
  quantity?: number | null | undefined;
  /** true: the new plan and quantity take effect with the next period; nothing is prorated. */
  atPeriodEnd?: boolean | null | undefined;
  /** true: the rest of the current period is credited at the old price and charged at the new one. false: neither. */
  prorate?: boolean | null | undefined;
  /** true: the credits and charges of the change, and earlier ones that are not on an invoice yet, are invoiced at once if something is to be paid for them. Otherwise, and with false, they are invoiced with the next period. */
  invoiceNow?: boolean | null | undefined;
  /** true: cancel the subscription at the end of the current period. false: continue. */
  cancelAtPeriodEnd?: boolean | null | undefined;
  /** When the subscription expires; not before the current period ends. null: no end. */
  endTime?: string | null | undefined;
  /** The channel to pay its invoices on; null: the plan's, else the customer's. */
  channelId?: number | null | undefined;
  /** The customer's payment method that renewals are charged with, on its own channel; null: the customer's default. On a change, failed invoices are tried again at once. */
  methodId?: string | null | undefined;
  /** Keys of your own data to set; null deletes a key, and other keys stay. At most 16 KiB of JSON, 8 levels and 50 keys in all, and numbers up to 2^53 − 1. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Your own data, replaced as a whole. Only in an update, not together with `metadata`. */
  metadataReplace?: Record<string, unknown> | null | undefined;
}

export interface SubscriptionsGetParams {
  /** The subscription's id. */
  id: number;
}

export interface SubscriptionsListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** Only subscriptions of this customer. */
  customerId?: number | undefined;
  /** Only subscriptions to this plan. */
  planId?: number | undefined;
  /** Only the subscription with this external id. */
  externalId?: string | undefined;
  state?: SubscriptionState | undefined;
  /** Only rows in this currency. */
  currency?: string | undefined;
  /** Only rows whose metadata has this value under this key: `metadata[order]=7`. Up to 5 keys, which must all match. */
  metadata?: Record<string, string> | undefined;
  /** Only rows found by their id, or the mail address or external id of their customer. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface SubscriptionsPreviewParams {
  /** The subscription's id. */
  id: number;
  /** Preview a change to this plan. */
  planId?: number | undefined;
  /** Preview a change to this quantity. */
  quantity?: number | undefined;
  atPeriodEnd?: boolean | undefined;
  prorate?: boolean | undefined;
  invoiceNow?: boolean | undefined;
}

export interface SubscriptionsSummaryParams {
  /** The first day (UTC, YYYY-MM-DD), inclusive. Default: 29 days before `endDate`. */
  startDate?: string | undefined;
  /** The last day (UTC, YYYY-MM-DD), inclusive. Default: today. */
  endDate?: string | undefined;
  /** Only subscriptions of this customer. */
  customerId?: number | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface SystemHealth {
  /** When it was read. */
  time: string;
  /** Those that run first. */
  nodes: SystemHealthNode[];
  database: SystemHealthDatabase;
  /** Work that is due by now. A few that are some seconds old are usual. */
  backlog: SystemHealthBacklog[];
  backup: SystemHealthBackup;
  versions: SystemHealthVersions;
}

export interface SystemHealthBacklog {
  work: "webhook_deliveries" | "provider_operations" | "provider_callbacks" | "payment_method_operations" | "dispute_answers" | "discrepancies" | "subscriptions" | "invoice_collections" | "customer_mails" | "user_mails" | (string & {});
  /** How much is due and not done; at most 10,000 are counted, and 100,000 deliveries. */
  due: number;
  /** How long the oldest has been due; null: nothing is. Deliveries to failing endpoints do not count. */
  oldestSeconds: number | null;
}

export interface SystemHealthBackup {
  /** When the last proven backup was made (`florin backup`). */
  provenTime: string | null;
  /** Since then. */
  ageSeconds: number | null;
  /** `app.backup.expected`; null: none is expected. */
  expectedSeconds: number | null;
}

export interface SystemHealthDatabase {
  /** Of PostgreSQL. */
  version: string;
  /** The servers of `app.database.url`, without account and password. */
  hosts: string;
  /** The server that answered: the primary; null: it is reached by a local socket. */
  address: string | null;
  /** When PostgreSQL started. */
  startedTime: string;
  /** Of the database. */
  sizeBytes: number;
  connections: SystemHealthDatabaseConnections;
  /** `synchronous_commit` of the server. */
  synchronousCommit: string;
  /** `synchronous_standby_names` of the server; empty: none. */
  synchronousStandbys: string;
  /** null: there is no `app.database.replica-url`. */
  replica: SystemHealthDatabaseReplica | null;
  /** Those that are connected to the primary; null: the account of Florin may not read them. */
  standbys: SystemHealthDatabaseStandby[] | null;
  /** Why `standbys` is null, and what to do. */
  standbysUnknown: string | null;
  /** The archive of the write-ahead log; null: the server keeps none. */
  archive: SystemHealthDatabaseArchive | null;
}

/** The archive of the write-ahead log; null: the server keeps none. */
export interface SystemHealthDatabaseArchive {
  /** When a segment was archived last. */
  archivedTime: string | null;
  /** When it failed last. */
  failedTime: string | null;
  /** Whether the last attempt failed. */
  isFailing: boolean;
}

export interface SystemHealthDatabaseConnections {
  /** Connections to the server. */
  used: number;
  /** Those that accounts without special rights may share. */
  limit: number;
}

/** null: there is no `app.database.replica-url`. */
export interface SystemHealthDatabaseReplica {
  /** The servers of `app.database.replica-url`. */
  hosts: string;
  /** false: it does not answer, or is no standby. */
  isReachable: boolean;
  /** Write-ahead log that it has not replayed yet. */
  lagBytes: number | null;
  /** The age of the last transaction that it has replayed; 0: it has replayed all. */
  lagMs: number | null;
}

export interface SystemHealthDatabaseStandby {
  /** Its `application_name`. */
  name: string;
  /** null: it is on the same machine. */
  address: string | null;
  /** `streaming` when it follows. */
  state: string;
  /** `sync` and `quorum`: commits wait for it. `potential`: it would take the place of one. `async`. */
  sync: string;
  /** Write-ahead log that it has not replayed yet. */
  lagBytes: number | null;
  /** How long the last replay took; null: it was idle. */
  lagMs: number | null;
}

export interface SystemHealthNode {
  /** Made at each start. */
  id: string;
  /** The name of its machine or container. */
  host: string;
  /** The port that it listens on. */
  port: number;
  /** GONE: it has not said for 30 seconds that it runs, and did not stop in order. It is listed for 15 minutes, or until another node has its host and port. */
  state: "RUNNING" | "GONE" | (string & {});
  /** `app.role`. */
  role: string;
  /** Of this node. */
  processes: number;
  /** Of Florin. */
  version: string;
  /** The version of Node.js. */
  runtime: string;
  /** The newest migration that this version has. */
  migration: string;
  /** Equal for nodes with the same keys. It tells nothing of them. */
  keyDigest: string;
  /** How far the machine's clock is ahead of the database's; negative: behind; null: not known. */
  clockAheadMs: number | null;
  /** Whether that is more than a second. Florin then uses the clock of the database. */
  isClockApart: boolean;
  /** The disk of the data folder of this node; null: it could not be read. */
  disk: ReadinessStorage | null;
  startedTime: string;
  /** When it last said that it runs, every ten seconds. */
  seenTime: string;
}

export interface SystemHealthVersions {
  /** Of the node that answers. */
  florin: string;
  /** The version of Node.js. */
  runtime: string;
  postgres: string;
  /** How many migrations the database has. */
  migrationsApplied: number;
  /** The newest of them. */
  newestApplied: string | null;
  /** The newest migration of the node that answers. */
  newestKnown: string;
}

export interface Tenant {
  id: number;
  name: string;
  state: boolean;
  /** Whether sessions of users without a second factor may only enrol one. */
  secondFactorRequired: boolean;
  /** As it was sent. */
  address: Record<string, unknown> | null;
  taxId: string | null;
  /** Whether customers are mailed about payments of their invoices. */
  customerMails: boolean;
  mailLanguage: "en" | "de" | (string & {});
  reopenInvoices: "NEVER" | "RETURNED" | "ALWAYS" | (string & {});
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

/** Without `id` it creates, and needs `name`, `state`. */
export interface TenantModifyInput {
  /** Omit to create. 0: the platform's own tenant, of which only the seller and the mails to customers can change. */
  id?: number | null | undefined;
  /** The seller on its invoices. */
  name?: string | null | undefined;
  /** false: the tenant is disabled. Logins, sessions and keys of its users are refused. */
  state?: boolean | null | undefined;
  /** true: sessions of users without a second factor may only enrol one. An update without it keeps the present value; a new tenant without it requires none. */
  secondFactorRequired?: boolean | null | undefined;
  /** `line1`, `line2`, `city` and `state` of at most 200 characters, `postalCode` of at most 40, and `country`, an ISO 3166-1 alpha-2 code such as US. All are optional; an update replaces the whole address. null clears it. */
  address?: TenantModifyInputAddress | null | undefined;
  /** The tax number of the seller on its invoices, in any notation. null clears it. */
  taxId?: string | null | undefined;
  /** true: customers with an e-mail address are mailed an invoice when it is finalized, a receipt when it is paid, and when a payment of one fails; not about test invoices. An update without it keeps the present value; a new tenant mails nobody. */
  customerMails?: boolean | null | undefined;
  /** The language of these mails, and of the page and the PDF of an invoice. Default of a new tenant: `en`. */
  mailLanguage?: "en" | "de" | null | undefined;
  /** Which disputes that are lost reopen the invoice that their payment had paid: NEVER, RETURNED (reason `returned` or `not_authorized`), or ALWAYS. Default of a new tenant: RETURNED. */
  reopenInvoices?: "NEVER" | "RETURNED" | "ALWAYS" | null | undefined;
}

/** `line1`, `line2`, `city` and `state` of at most 200 characters, `postalCode` of at most 40, and `country`, an ISO 3166-1 alpha-2 code such as US. All are optional; an update replaces the whole address. null clears it. */
export interface TenantModifyInputAddress {
  /** One line of 0 to 200 characters, without control characters. */
  line1?: string | null | undefined;
  /** One line of 0 to 200 characters, without control characters. */
  line2?: string | null | undefined;
  /** One line of 0 to 40 characters, without control characters. */
  postalCode?: string | null | undefined;
  /** One line of 0 to 200 characters, without control characters. */
  city?: string | null | undefined;
  /** One line of 0 to 200 characters, without control characters. */
  state?: string | null | undefined;
  /** A country code of ISO 3166-1 alpha-2, such as US. */
  country?: string | null | undefined;
}

export interface TenantsGetParams {
  /** The tenant; 0: the platform's own. */
  id: number;
}

export interface TenantsListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
}

export interface TimelineStep {
  time: string;
  /** The kind of step, for programs: `created`, `charge_called`, `charge_failed`, … */
  type: string;
  /** The step in words, for people; the wording may change. */
  message: string;
  /** The payment's status after this step; only if the step changed it. */
  status?: TransactionStatus | (string & {}) | undefined;
  channelId?: number | undefined;
  channelName?: string | undefined;
  /** Number of the provider operation: the last part of its idempotency key. */
  operation?: number | undefined;
  provider?: string | undefined;
  /** The provider's own id of the operation. */
  reference?: string | undefined;
  failureCode?: string | undefined;
  /** With `failureCode`: another channel may accept the payment. */
  fallback?: boolean | undefined;
  /** With `failureCode`: what may be done again. */
  retry?: Retry | (string & {}) | undefined;
  /** The provider's own code for the failure. */
  providerCode?: string | undefined;
  refundId?: string | undefined;
  captureId?: string | undefined;
  disputeId?: string | undefined;
  /** Further facts, from which a program can say the step in words of its own: the user, the amount (in minor units) and its currency, what a message is about (`CHARGE`, `REFUND`, …), how the outcome became known, and the number of calls and look-ups. */
  detail?: Record<string, unknown> | undefined;
}

export interface TokenPair {
  /** JWT. Send it as `Authorization: Bearer …`. */
  accessToken: string;
  /** JWT. Accepted only by the refresh endpoint. */
  refreshToken: string;
  /** Lifetime of the access token, in seconds. */
  expiresIn: number;
  tokenType: "Bearer";
}

export interface Transaction {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** In minor units (cents), 1 to 9007199254740991. */
  amount: number;
  amountRefunded: number;
  /** What disputes have withdrawn and not reinstated. */
  amountDisputed: number;
  /** MANUAL: the payment is only authorized, and captured by further requests. */
  captureMethod: CaptureMethod | (string & {});
  /** What the provider has authorized: the amount, or 0. */
  amountAuthorized: number;
  /** What can still be captured. Of an AUTOMATIC payment always 0. */
  amountCapturable: number;
  /** The money that was taken, before refunds. */
  amountCaptured: number;
  /** When the authorization ends. Null: the provider has not said, or there is none. */
  captureBefore: string | null;
  currency: string;
  status: TransactionStatus | (string & {});
  channelId: number;
  description: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  customerId: number | null;
  invoiceId: number | null;
  /** The user who created it. */
  userId: number;
  /** The payment method that is charged, or that the payment has kept: `mtd_…`. */
  methodId: string | null;
  /** MERCHANT: the payer is not there (off-session). */
  initiator: Initiator | (string & {});
  /** What payers read on the statement of their card or account. */
  statementDescriptor: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  /** Whether another channel may accept the payment, by `failureCode`. Null: none, or one of the merchant. */
  fallback: boolean | null;
  /** What may be done again, by `failureCode`: `LATER` the same, `OTHER_METHOD` only with another payment method, `WITH_PAYER` only with the payer, `NEVER` nothing. Null: no `failureCode`, or one of the merchant. */
  retry: Retry | (string & {}) | null;
  /** The provider's id of the charge. */
  providerReference: string | null;
  /** What the payer must do before the payment continues: `type` (`redirect`, `confirm`) and `url`. */
  nextAction: Record<string, unknown> | null;
  /** Who has to act before a `PROCESSING` payment of a channel with a provider goes on: the payer (see `nextAction`), or the provider. Null: nobody, or the channel has no provider. */
  waitingFor: "PAYER" | "PROVIDER" | null | (string & {});
  /** When the card network warned that the payment may be disputed as fraud. */
  fraudWarningTime: string | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
}

export interface TransactionCaptureInput {
  /** `txn_` and a time-ordered part. */
  id: string;
  /** In minor units, 1 to 9007199254740991. Default: all that can still be captured. */
  amount?: number | null | undefined;
  /** Whether nothing is captured afterwards: what is left is released. A capture of all that is left is final anyway. false needs a channel with `capture` MULTIPLE. Default: true. */
  final?: boolean | null | undefined;
}

export interface TransactionCreateInput {
  /** In minor units (cents), 1 to 9007199254740991. */
  amount: number;
  /** One that the channel supports. */
  currency: string;
  /** The channel that processes the payment. */
  channelId: number;
  description?: string | null | undefined;
  /** Your own data: at most 16 KiB of JSON, 8 levels, 50 keys, numbers up to 2^53 − 1. Returned as it was sent. */
  metadata?: Record<string, unknown> | null | undefined;
  /** A customer of this service or of another system. */
  customerId?: number | null | undefined;
  /** The invoice that this payment pays. The id of an invoice in another system is only stored. */
  invoiceId?: number | null | undefined;
  /** What payers read on the statement of their card or account, where the provider takes it. Default: the plan's, or else the channel's. */
  statementDescriptor?: string | null | undefined;
  /** The provider's token of the payment method (Stripe: `pm_…`). Without one, the payer chooses. */
  paymentMethod?: string | null | undefined;
  /** The payment method to charge, instead of `paymentMethod`. It decides the customer and the channel. */
  methodId?: string | null | undefined;
  /** MERCHANT: the payer is not there (off-session). Needs `methodId`. Default: PAYER. */
  initiator?: Initiator | null | undefined;
  /** MANUAL: the provider only authorizes the amount, and `POST /api/transaction/capture` takes it. Default: AUTOMATIC. */
  captureMethod?: CaptureMethod | null | undefined;
  /** Keeps what the payer pays with as a payment method of `customerId`, once the payment has succeeded. */
  saveMethod?: boolean | null | undefined;
  /** With `saveMethod`: whether the method becomes the default of the customer. Default: where there is none. */
  isDefault?: boolean | null | undefined;
  consent?: PaymentMethodSetupInputConsent | null | undefined;
  agreement?: PaymentMethodAgreement | null | undefined;
  /** What is bought, for methods of the provider that need it. Adds up to `amount`, with taxes. Default: the lines of the invoice. */
  lines?: InvoiceLineInput[] | null | undefined;
  /** Who pays, for methods of the provider that need it: `name`, `email` and an address. Default: the customer's. */
  billingAddress?: TransactionCreateInputBillingAddress | null | undefined;
  /** Where the payer pays who has to choose a method. REDIRECT: on a page of the provider (`nextAction` is a redirect). EMBEDDED: in the merchant's own page, with the provider's script (`nextAction` is `confirm`), at providers that have one: Stripe. Default: REDIRECT. */
  payerFlow?: "REDIRECT" | "EMBEDDED" | null | undefined;
  /** Where the payer's browser is redirected after the provider's page. Default: a page that says what became of it. */
  returnUrl?: string | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

/** Who pays, for methods of the provider that need it: `name`, `email` and an address. Default: the customer's. */
export interface TransactionCreateInputBillingAddress {
  /** One line of 1 to 200 characters, without control characters. */
  name?: string | null | undefined;
  email?: string | null | undefined;
  /** One line of 0 to 200 characters, without control characters. */
  line1?: string | null | undefined;
  /** One line of 0 to 200 characters, without control characters. */
  line2?: string | null | undefined;
  /** One line of 0 to 40 characters, without control characters. */
  postalCode?: string | null | undefined;
  /** One line of 0 to 200 characters, without control characters. */
  city?: string | null | undefined;
  /** One line of 0 to 200 characters, without control characters. */
  state?: string | null | undefined;
  /** A country code of ISO 3166-1 alpha-2, such as US. */
  country?: string | null | undefined;
}

export interface TransactionDetail {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** In minor units (cents), 1 to 9007199254740991. */
  amount: number;
  amountRefunded: number;
  /** What disputes have withdrawn and not reinstated. */
  amountDisputed: number;
  /** MANUAL: the payment is only authorized, and captured by further requests. */
  captureMethod: CaptureMethod | (string & {});
  /** What the provider has authorized: the amount, or 0. */
  amountAuthorized: number;
  /** What can still be captured. Of an AUTOMATIC payment always 0. */
  amountCapturable: number;
  /** The money that was taken, before refunds. */
  amountCaptured: number;
  /** When the authorization ends. Null: the provider has not said, or there is none. */
  captureBefore: string | null;
  currency: string;
  status: TransactionStatus | (string & {});
  channelId: number;
  description: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  customerId: number | null;
  invoiceId: number | null;
  /** The user who created it. */
  userId: number;
  /** The payment method that is charged, or that the payment has kept: `mtd_…`. */
  methodId: string | null;
  /** MERCHANT: the payer is not there (off-session). */
  initiator: Initiator | (string & {});
  /** What payers read on the statement of their card or account. */
  statementDescriptor: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  /** Whether another channel may accept the payment, by `failureCode`. Null: none, or one of the merchant. */
  fallback: boolean | null;
  /** What may be done again, by `failureCode`: `LATER` the same, `OTHER_METHOD` only with another payment method, `WITH_PAYER` only with the payer, `NEVER` nothing. Null: no `failureCode`, or one of the merchant. */
  retry: Retry | (string & {}) | null;
  /** The provider's id of the charge. */
  providerReference: string | null;
  /** What the payer must do before the payment continues: `type` (`redirect`, `confirm`) and `url`. */
  nextAction: Record<string, unknown> | null;
  /** Who has to act before a `PROCESSING` payment of a channel with a provider goes on: the payer (see `nextAction`), or the provider. Null: nobody, or the channel has no provider. */
  waitingFor: "PAYER" | "PROVIDER" | null | (string & {});
  /** When the card network warned that the payment may be disputed as fraud. */
  fraudWarningTime: string | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
  channelName: string;
  /** The captures of a MANUAL payment, the oldest first; of an AUTOMATIC one none. */
  captures: Capture[];
}

export interface TransactionListItem {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** null: the platform's own tenant. */
  tenantId?: string | null | undefined;
  /** In minor units (cents), 1 to 9007199254740991. */
  amount: number;
  amountRefunded: number;
  currency: string;
  status: TransactionStatus | (string & {});
  channelId: number;
  channelName: string;
  description: string | null;
  customerId: number | null;
  invoiceId: number | null;
  /** The user who created it. */
  userId: number;
  /** The provider's id of the charge. */
  providerReference: string | null;
  failureCode: string | null;
  createdTime: string;
  /** The money that was taken, before refunds. */
  amountCaptured?: number | undefined;
  failureMessage?: string | null | undefined;
  /** As it was sent. */
  metadata?: Record<string, unknown> | null | undefined;
  /** What the payer must do before the payment continues: `type` (`redirect`, `confirm`) and `url`. */
  nextAction?: Record<string, unknown> | null | undefined;
  /** Increases with every change, so that a receiver can discard older events. */
  version?: number | undefined;
  updatedTime?: string | undefined;
}

export interface TransactionReleaseInput {
  /** `txn_` and a time-ordered part. */
  id: string;
}

export type TransactionStatus = "PENDING" | "PROCESSING" | "SUCCESS" | "FAILED" | "REFUNDED" | "CANCELLED";

/** At least one field besides `id` is needed. */
export interface TransactionUpdateInput {
  /** `txn_` and a time-ordered part. */
  id: string;
  status?: TransactionStatus | null | undefined;
  description?: string | null | undefined;
  /** Keys of your own data to set; null deletes a key, and other keys stay. At most 16 KiB of JSON, 8 levels and 50 keys in all, and numbers up to 2^53 − 1. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Your own data, replaced as a whole. Only in an update, not together with `metadata`. */
  metadataReplace?: Record<string, unknown> | null | undefined;
  /** Only with status FAILED. */
  failureCode?: string | null | undefined;
  /** Only with status FAILED. */
  failureMessage?: string | null | undefined;
}

export interface TransactionWithCapture {
  id: string;
  /** true: live. false: a test record. */
  livemode: boolean;
  /** In minor units (cents), 1 to 9007199254740991. */
  amount: number;
  amountRefunded: number;
  /** What disputes have withdrawn and not reinstated. */
  amountDisputed: number;
  /** MANUAL: the payment is only authorized, and captured by further requests. */
  captureMethod: CaptureMethod | (string & {});
  /** What the provider has authorized: the amount, or 0. */
  amountAuthorized: number;
  /** What can still be captured. Of an AUTOMATIC payment always 0. */
  amountCapturable: number;
  /** The money that was taken, before refunds. */
  amountCaptured: number;
  /** When the authorization ends. Null: the provider has not said, or there is none. */
  captureBefore: string | null;
  currency: string;
  status: TransactionStatus | (string & {});
  channelId: number;
  description: string | null;
  /** As it was sent. */
  metadata: Record<string, unknown> | null;
  customerId: number | null;
  invoiceId: number | null;
  /** The user who created it. */
  userId: number;
  /** The payment method that is charged, or that the payment has kept: `mtd_…`. */
  methodId: string | null;
  /** MERCHANT: the payer is not there (off-session). */
  initiator: Initiator | (string & {});
  /** What payers read on the statement of their card or account. */
  statementDescriptor: string | null;
  failureCode: string | null;
  failureMessage: string | null;
  /** Whether another channel may accept the payment, by `failureCode`. Null: none, or one of the merchant. */
  fallback: boolean | null;
  /** What may be done again, by `failureCode`: `LATER` the same, `OTHER_METHOD` only with another payment method, `WITH_PAYER` only with the payer, `NEVER` nothing. Null: no `failureCode`, or one of the merchant. */
  retry: Retry | (string & {}) | null;
  /** The provider's id of the charge. */
  providerReference: string | null;
  /** What the payer must do before the payment continues: `type` (`redirect`, `confirm`) and `url`. */
  nextAction: Record<string, unknown> | null;
  /** Who has to act before a `PROCESSING` payment of a channel with a provider goes on: the payer (see `nextAction`), or the provider. Null: nobody, or the channel has no provider. */
  waitingFor: "PAYER" | "PROVIDER" | null | (string & {});
  /** When the card network warned that the payment may be disputed as fraud. */
  fraudWarningTime: string | null;
  /** Increases with every change, so that a receiver can discard older events. */
  version: number;
  createdTime: string;
  updatedTime: string;
  capture: Capture;
}

export interface TransactionsGetParams {
  /** `txn_` and a time-ordered part. */
  id: string;
}

export interface TransactionsListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. */
  after?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  status?: TransactionStatus | undefined;
  /** Only payments through this channel. */
  channelId?: number | undefined;
  /** Only payments created by this user or with one of their keys. */
  userId?: number | undefined;
  /** Only payments of this customer. */
  customerId?: number | undefined;
  /** Only payments of this invoice. */
  invoiceId?: number | undefined;
  /** Only rows in this currency. */
  currency?: string | undefined;
  /** Only payments of at least this amount, in minor units. */
  amountFrom?: number | undefined;
  /** Only payments of at most this amount, in minor units. */
  amountTo?: number | undefined;
  /** Only rows whose metadata has this value under this key: `metadata[order]=7`. Up to 5 keys, which must all match. */
  metadata?: Record<string, string> | undefined;
  /** Only payments of which the provider knows a charge by this id (`providerReference`). */
  providerReference?: string | undefined;
  /** Only rows found by their id, the provider's id, the `Idempotency-Key` of their create, or the id of their customer or invoice; if there are none, by the beginning of their description. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
  /** Further fields of the rows: `amountCaptured`, `failureMessage`, `metadata`, `nextAction`, `version`, `updatedTime`. */
  fields?: string | undefined;
}

export interface User {
  id: number;
  userName: string;
  email: string;
  userType: "PLATFORM_ADMIN" | "MERCHANT_ADMIN" | "MERCHANT_USER" | (string & {});
  /** null: the platform's own tenant. */
  tenantId: string | null;
  roles: string[];
  state: boolean;
  /** true: invited by mail, and has not chosen a password yet. */
  invited: boolean;
  /** Whether the user has a second factor. */
  secondFactor: boolean;
  createdTime: string;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

/** Without `id` it creates, and needs `userName`, `email`, `userType`, `state`. */
export interface UserModifyInput {
  /** Omit to create. */
  id?: number | null | undefined;
  /** Unique in the tenant, ignoring case, also among the e-mail addresses of other users. A name that a user of another tenant logs in with is accepted, but logs in only that user. */
  userName?: string | null | undefined;
  /** Unique in the tenant, ignoring case, also among the user names of other users. It logs in one user of the installation: the first who has proven to receive its mail, by the token of an invitation or a reset. */
  email?: string | null | undefined;
  /** At least 6 characters (`app.password.min-length`), at most 1024 bytes, not a commonly used password. Spaces in a row count as one, and Unicode forms of a letter are the same. Only from sessions. A new user without one is invited by mail to choose it. */
  password?: string | null | undefined;
  /** The caller's present password, which callers need to change their own e-mail address. */
  oldPassword?: string | null | undefined;
  userType?: "PLATFORM_ADMIN" | "MERCHANT_ADMIN" | "MERCHANT_USER" | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
  /** The permissions of a MERCHANT_USER. An update without it keeps the present roles. */
  roles?: ("viewer" | "cashier" | "operator")[] | null | undefined;
  /** false: the user is disabled. Logins, sessions and keys of the user are refused. */
  state?: boolean | null | undefined;
}

export interface UsersGetParams {
  /** The user. */
  id: number;
}

export interface UsersListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
}

export interface View {
  /** The name of the list in the console, such as `payments`. */
  listName: string;
  /** null: the default view, with which the list opens. */
  name: string | null;
  /** The filters and columns, as a query string without its question mark. */
  query: string;
  createdTime: string;
  updatedTime: string;
}

export interface ViewModifyInput {
  /** The name of the list in the console, such as `payments`. */
  listName: string;
  /** Absent: the default view, with which the list opens. */
  name?: string | null | undefined;
  /** The filters and columns, as a query string without its question mark. */
  query: string;
}

export interface ViewRemoveInput {
  /** The name of the list in the console, such as `payments`. */
  listName: string;
  /** Absent: the default view, with which the list opens. */
  name?: string | null | undefined;
}

export interface ViewsListParams {
  /** The name of the list in the console, such as `payments`. */
  listName?: string | undefined;
}

export interface WebhookEndpoint {
  id: number;
  /** true: receives events of live records. false: of test records. */
  livemode: boolean;
  url: string;
  events: (WebhookEventPattern | (string & {}))[];
  /** true: deliveries are sent. */
  state: boolean;
  createdTime: string;
  /** null: the platform's own tenant. */
  tenantId: string | null;
  /** Why Florin disabled the endpoint. `gone`: it answered 410. `failing`: no delivery succeeded for five days. null: it did not. */
  disabledReason: "gone" | "failing" | null | (string & {});
  /** No delivery has succeeded since then. null: the endpoint is not failing. */
  failingSince: string | null;
  /** After consecutive failures, nothing is sent until then. */
  pausedUntil: string | null;
  /** Maximum number of deliveries in flight, per node. null: adapts to how promptly the endpoint answers. */
  maxInFlight: number | null;
  /** Maximum number of deliveries per second. null: no limit. */
  ratePerSecond: number | null;
  /** true: another secret is staged and signs too. */
  nextSecret: boolean;
  /** When the staged secret replaces the present one. null: on request, or no secret is staged. */
  promoteAt: string | null;
  /** Equal to `createdTime` when never updated. */
  updatedTime: string;
}

export type WebhookEventPattern = "*" | "transaction.*" | "refund.*" | "subscription.*" | "invoice.*" | "customer.*" | "channel.*" | "webhook.*" | "payment_method.*" | "discrepancy.*" | "dispute.*" | "transaction.created" | "transaction.processing" | "transaction.succeeded" | "transaction.failed" | "transaction.refunded" | "transaction.cancelled" | "transaction.action_required" | "refund.created" | "refund.succeeded" | "refund.failed" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "subscription.expired" | "invoice.created" | "invoice.finalized" | "invoice.paid" | "invoice.payment_failed" | "invoice.overdue" | "invoice.voided" | "invoice.uncollectible" | "customer.created" | "customer.updated" | "channel.disabled" | "webhook.disabled" | "payment_method.action_required" | "payment_method.attached" | "payment_method.failed" | "payment_method.expiring" | "payment_method.expired" | "payment_method.updated" | "payment_method.revoked" | "payment_method.detached" | "transaction.authorized" | "transaction.captured" | "transaction.capture_failed" | "transaction.authorization_expiring" | "discrepancy.opened" | "discrepancy.closed" | "dispute.created" | "dispute.updated" | "dispute.due_soon" | "dispute.won" | "dispute.lost" | "dispute.closed" | "dispute.funds_withdrawn" | "dispute.funds_reinstated" | "transaction.fraud_warning" | "invoice.reopened";

export interface WebhookIdInput {
  /** The endpoint's id. */
  id: number;
}

/** At least one field besides `id` is needed. */
export interface WebhookModifyInput {
  /** The endpoint's id. */
  id: number;
  /** The http or https URL that deliveries are posted to, without user name and password. */
  url?: string | null | undefined;
  /** Event types to receive. `transaction.*` matches all types of transactions, `*` all types. */
  events?: WebhookEventPattern[] | null | undefined;
  /** false: nothing is sent. true: deliveries are sent; also enables an endpoint that Florin disabled. */
  state?: boolean | null | undefined;
  /** Maximum number of deliveries in flight, per node. null: adapts to how promptly the endpoint answers. */
  maxInFlight?: number | null | undefined;
  /** Maximum number of deliveries per second, over all nodes. null: no limit. */
  ratePerSecond?: number | null | undefined;
  /** true: ends a pause after failures, and sends now what waits for its next try, up to 10,000 deliveries. */
  retry?: boolean | null | undefined;
}

export interface WebhookPing {
  id: number;
  events: (WebhookEventPattern | (string & {}))[];
  createdTime: string;
}

export interface WebhookRegisterInput {
  /** The http or https URL that deliveries are posted to, without user name and password. */
  url: string;
  /** Event types to receive. `transaction.*` matches all types of transactions, `*` all types. */
  events: WebhookEventPattern[];
  /** Signs the deliveries. Stored encrypted, never shown. Default: generated, and returned once, here. What follows `whsec_` must be base64, as for libraries of Standard Webhooks. */
  secret?: string | null | undefined;
  /** Whether it is live (true) or for tests (false); never changes. Default: the mode of the key; for a session live. */
  livemode?: boolean | null | undefined;
  /** The tenant that the record belongs to, only from a PLATFORM_ADMIN. Default: the caller's own. */
  tenantId?: string | null | number | undefined;
}

export interface WebhookReplay {
  id: string;
  endpointId: number;
  since: string;
  until: string;
  states: ("SUCCEEDED" | "FAILED" | "CANCELLED" | "MISSING" | (string & {}))[];
  /** STOPPED: the endpoint was switched off or removed during the replay. */
  state: "RUNNING" | "DONE" | "STOPPED" | (string & {});
  /** Events up to this time have been replayed. */
  reachedTime: string;
  /** Events examined, of any type. */
  eventCount: number;
  /** Deliveries enqueued. */
  deliveryCount: number;
  createdTime: string;
  /** null while it is RUNNING. */
  finishedTime: string | null;
}

/** Needs `deliveryId`, or `endpointId` and `since`. */
export interface WebhookReplayInput {
  /** Replays this delivery. Not together with other fields. */
  deliveryId?: string | null | undefined;
  /** Replays all events of this endpoint since `since`. */
  endpointId?: number | null | undefined;
  /** Start of the replay. Required with `endpointId`. */
  since?: string | null | undefined;
  /** End of the replay, exclusive. Default: now. */
  until?: string | null | undefined;
  /** Only events whose delivery is in one of these states. MISSING: events without a delivery, because the endpoint was switched off. Default: all. */
  states?: ("SUCCEEDED" | "FAILED" | "CANCELLED" | "MISSING")[] | null | undefined;
}

/** Needs `promote`, or one or both of `secret` and `promoteAt`. */
export interface WebhookRotateInput {
  /** The endpoint's id. */
  id: number;
  /** The next secret. Replaces a secret that is already staged. What follows `whsec_` must be base64, as for libraries of Standard Webhooks. */
  secret?: string | null | undefined;
  /** The staged secret replaces the present one now. */
  promote?: boolean | null | undefined;
  /** When the staged secret replaces the present one. In the future, at most 366 days ahead. */
  promoteAt?: string | null | undefined;
}

export interface WebhookTestResult {
  /** The delivery of the ping. */
  deliveryId: string;
}

export interface WebhooksDeliveriesGetParams {
  /** Delivery id, beginning with `dlv_`. */
  id: string;
}

export interface WebhooksDeliveriesListParams {
  /** `pagination.nextCursor` of the previous page, which had the same filters. */
  cursor?: string | undefined;
  /** The id of a row: only rows below it. An export that broke off goes on after the last whole row received. For pages `cursor` is better, because it notices a changed filter. */
  after?: string | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** Only deliveries to this endpoint; it may have been removed. */
  endpointId?: number | undefined;
  state?: DeliveryState | undefined;
  eventType?: "transaction.created" | "transaction.processing" | "transaction.succeeded" | "transaction.failed" | "transaction.refunded" | "transaction.cancelled" | "transaction.action_required" | "refund.created" | "refund.succeeded" | "refund.failed" | "subscription.created" | "subscription.updated" | "subscription.cancelled" | "subscription.expired" | "invoice.created" | "invoice.finalized" | "invoice.paid" | "invoice.payment_failed" | "invoice.overdue" | "invoice.voided" | "invoice.uncollectible" | "customer.created" | "customer.updated" | "channel.disabled" | "webhook.disabled" | "payment_method.action_required" | "payment_method.attached" | "payment_method.failed" | "payment_method.expiring" | "payment_method.expired" | "payment_method.updated" | "payment_method.revoked" | "payment_method.detached" | "transaction.authorized" | "transaction.captured" | "transaction.capture_failed" | "transaction.authorization_expiring" | "discrepancy.opened" | "discrepancy.closed" | "dispute.created" | "dispute.updated" | "dispute.due_soon" | "dispute.won" | "dispute.lost" | "dispute.closed" | "dispute.funds_withdrawn" | "dispute.funds_reinstated" | "transaction.fraud_warning" | "invoice.reopened" | "webhook.ping" | undefined;
  /** Only deliveries of this event. */
  eventId?: string | undefined;
  /** Only rows found by their id or the id of their event. */
  search?: string | undefined;
  /** The first day (YYYY-MM-DD), whole; or a time with its offset (2026-01-31T09:30:00+01:00), inclusive. */
  startDate?: string | undefined;
  /** The last day (YYYY-MM-DD), whole; or a time with its offset, exclusive. */
  endDate?: string | undefined;
  /** IANA time zone of the days, such as `Europe/Zurich`. UTC if absent. */
  timeZone?: string | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
  /** true: live records. false: test records. Default: the mode of the key; live for a session. */
  livemode?: boolean | undefined;
}

export interface WebhooksGetParams {
  /** The endpoint's id. */
  id: number;
}

export interface WebhooksListParams {
  /** The number of the page. */
  page?: number | undefined;
  /** Rows of a page. */
  pageSize?: number | undefined;
  /** Only endpoints for live (true) or for test (false) events. Default: both. */
  livemode?: boolean | undefined;
  /** Only rows of this tenant; 0 is the platform. Only for a PLATFORM_ADMIN. */
  tenantId?: number | undefined;
}

export interface WebhooksReplaysGetParams {
  /** Replay id, beginning with `rpl_`. */
  id: string;
}
