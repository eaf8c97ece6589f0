/**
 * What a request breaks: one rule for each sentence of a refusal whose type alone does not say it. A refusal sends the
 * rule and the values of the sentence as `details`, so that programs can say the same in another language, with amounts
 * and names of their own. Rules and values are stable; the sentences may change. `{field}` is the field of the refusal.
 */
export const rules = {
  required: '{field} is required.',
  wrong_type: '{field} must be {type}.',
  minimum: '{field} must be at least {limit}.',
  maximum: '{field} must be at most {limit}.',
  empty: '{field} must not be empty.',
  too_short: '{field} must have at least {limit} characters.',
  too_long: '{field} must have at most {limit} characters.',
  too_few: '{field} must have at least {limit} entries.',
  too_many: '{field} must have at most {limit} entries.',
  too_many_keys: '{field} must have at most {limit} keys.',
  listed_twice: '{field} must not name the same entry twice.',
  one_of: '{field} must be one of {allowed}.',
  only_value: '{field} must be {allowed}.',
  pattern: '{field} must match {pattern}.',
  format: '{field} must be a valid {format}.',
  wrong_kind: '{field} has a value of the wrong kind.',
  unknown_field: '{field} is not a field of this request. Did you mean {suggestion}?',
  unknown_field_of: '{field} is not a field of this request. Its fields: {known}.',
  no_fields: '{field} is not a field of this request. It has no fields.',
  unknown_parameter: '{field} is not a query parameter of this request. Did you mean {suggestion}?',
  unknown_parameter_of: '{field} is not a query parameter of this request. Its query parameters: {known}.',
  no_parameters: '{field} is not a query parameter of this request. It has no query parameters.',
  no_object: 'The {part} must be a JSON object.',
  given_twice: '{field} is given twice.',
  empty_key_twice: 'The empty key is given twice.',
  nul: '{field} must not contain the NUL character.',
  half_surrogate: '{field} must not contain half a surrogate pair.',
  inexact_number: '{field} must be a number of at most 2^53 − 1 that needs no rounding.',
  unreadable_request: 'The request cannot be read: {reason}.',
  only_one_header: 'Only one {field} header may be sent.',
  host_header: 'A Host header is required.',
  key_length: '{field} must have {least} to {limit} characters.',
  one_line: '{field} must be one line of {least} to {limit} characters, without control characters.',
  one_line_or_null: '{field} must be one line of at most {limit} characters, or null.',
  web_address: '{field} must be an http or https address whose host can exist, without a user name.',
  object_of_keys: '{field} must be an object of at most {limit} keys.',
  country_code: '{field} must be a country code of ISO 3166-1 alpha-2, such as US.',
  currency_code:
    '{field} must be the upper-case ISO 4217 code of a currency to pay in, such as USD; funds and metals are none.',
  id_such_as: '{field} must be an id such as {example}.',
  address_or_null: '{field} must be an address, or null.',
  day: '{field} must be a day as YYYY-MM-DD.',
  day_or_time: '{field} must be a day as YYYY-MM-DD, or a time with its offset, such as 2026-01-31T09:30:00+01:00.',
  comma_list: '{field} must be a comma-separated list of {allowed}.',
  by_key: '{field} must be given by key, as metadata[order]=7.',
  user_name: '{field} must be 1 to 64 letters, digits, spaces or . _ @ + -, beginning with a letter or a digit.',
  email_address: '{field} must be an e-mail address.',
  email_address_up_to: '{field} must be an e-mail address, of at most {limit} characters.',
  email_address_or_null: '{field} must be an e-mail address, or null.',
  list_name: '{field} must be up to 40 lower-case letters and hyphens.',
  id_of: "{field} must be a {noun}'s id.",
  id_of_or_null: "{field} must be a {noun}'s id, or null.",
  iso_time: '{field} must be a time of ISO 8601.',
  iso_time_with_offset: '{field} must be a time of ISO 8601 with its offset.',
  utc_time: '{field} must be a time as 2026-01-31T09:30:00Z.',
  utc_time_or_null: '{field} must be a time as 2026-01-31T09:30:00Z, or null.',
  http_status: '{field} must be an HTTP status such as 409, or all that begin alike, such as 4xx.',
  refusal_type: '{field} must be the type of a refusal, such as invalid_request.',
  basis_points: '{field} must be a whole number of basis points from 0 to 10000, or null.',
  invoice_number: '{field} must be an invoice number such as INV-000001.',
  integer_range_or_null: '{field} must be an integer from {least} to {limit}, or null.',
  text_or_null: '{field} must be at most {limit} characters, or null.',
  day_or_null: '{field} must be a day as YYYY-MM-DD, or null.',
  id_list: '{field} must be at most 100 ids, separated by commas.',
  colour: '{field} must be a colour as #1d4ed8, or null.',
  picture: '{field} must be a PNG or JPEG file in base64, or null.',
  mail_texts: '{field} must be texts by language and mail, or null.',
  channel_code: '{field} must be 1 to 64 letters, digits, dots, dashes or underscores.',
  one_of_or_null: '{field} must be one of {allowed}, or null.',
  statement_text: '{field} must be 5 to 22 letters, digits, spaces and signs other than < > \\ \' " *, with a letter.',
  statement_text_or_null:
    '{field} must be 5 to 22 letters, digits, spaces and signs other than < > \\ \' " *, with a letter; or null.',
  printable_secret: '{field} must be 16 to 256 printable ASCII characters.',
  not_together: '{field} cannot be used together with {other}.',
  only_together: '{field} is only taken together with {other}.',
  required_with: '{field} is required with {other}.',
  required_unless: '{field} is required, unless {other} is given.',
  not_more_than: '{field} must not be more than {other}.',
  not_after: '{field} must not be after {other}.',
  not_after_today: '{field} must not be after {other}, which is today unless you name one.',
  before: '{field} must be before {other}.',
  needs_id: '{field} needs the id to update.',
  change_something: 'Name at least one field to change, such as {fields}.',
  metadata_twice: 'Give metadata to change some keys or metadataReplace to replace all, not both.',
  future_time: '{field} must be a time in the future.',
  past_time: '{field} must be a time in the past.',
  within_a_year: '{field} must be a time in the future, at most a year from now.',
  minute_to_year: '{field} must be at least a minute and at most 366 days from now.',
  after_time: '{field} must be after the first period begins, {time}.',
  trial_range: '{field} must be after now, {time}, and at most 730 days ahead.',
  not_before_time: '{field} must not be before {time}; to end it sooner, cancel it.',
  time_1970_2200: '{field} must be an ISO 8601 time between 1970 and 2200.',
  time_1970_2970: '{field} must be a time between 1970 and 2970, such as 2026-01-31T09:30:00Z.',
  time_zone: '{field} must be an IANA time zone, such as Europe/Zurich.',
  clock_back: '{field} must not be before {time}: a clock cannot go back.',
  clock_ten_years: '{field} must be at most ten years after the clock.',
  not_counted: `Rows are not counted under {filter}, so there are no page numbers: leave out page, and pass on \
pagination.nextCursor as cursor.`,
  row_id: '{field} must be the id of a row, an integer.',
  row_id_such_as: '{field} must be the id of a row, such as {example}.',
  too_many_found: '{field} matches more than {limit} rows. Give more of the text, or use a filter.',
  cursor_of_list: '{field} must be the pagination.nextCursor of an earlier page of this list.',
  cursor_of_filters: '{field} was given out under other filters: repeat those of the page that it came with.',
  not_for_export: '{field} cannot be used for an export, which has all rows.',
  series_too_long: 'A series holds at most {limit} days; name a later startDate.',
  needs_record_type: 'recordType is required with recordId.',
  leave_out: 'search finds records by their id: leave out {other}.',
  delivery_search: "{field} must be a delivery's id, dlv_…, or an event's id, evt_….",
  not_found: 'There is no {noun} {id}.',
  inbox_gone: 'There is no such inbox, or its seven days are over.',
  device_code_unknown: 'No login waits under this code. It may have expired or been decided.',
  json_size: '{field} must be at most 16 KiB of JSON.',
  json_depth: '{field} must be nested at most {limit} levels.',
  metadata_keys: '{field} must have at most {limit} keys, with those that it has already.',
  currency_withdrawn:
    '{currency} was withdrawn and is not taken any more; what exists in it can still be paid and refunded.',
  currency_named: `{field} names {given}, which is not the upper-case ISO 4217 code of a currency to pay in; \
funds and metals are none.`,
  lines_too_much: '{field} sum up to more than {limit} minor units.',
  lines_below_zero: '{field} must not sum up to less than 0.',
  lines_add_up: 'lines add up to {total} with their taxes, and amount is {amount}.',
  one_tax: 'A line has a taxRate or a taxAmount, not both.',
  currency_of_invoice: '{field} must be {currency}, that of invoice {invoiceId}.',
  quantity_too_much: "{field} times the plan's amount is more than {limit} minor units.",
  changes_too_much: 'These changes sum up to more than {limit} minor units on one invoice.',
  invoice_too_much: 'The invoice would exceed {limit} minor units.',
  password_short: '{field} must have at least {limit} characters.',
  password_bytes: '{field} must have at most {limit} bytes.',
  password_common: '{field} is one of the commonest passwords. Choose another.',
  password_own_name:
    "{field} is little more than the user's own name or address, or the name of this service. Choose another.",
  old_password: 'The old password is not right.',
  own_password: 'The password is not right.',
  own_password_elsewhere: 'Your own password is changed at /api/user/change-password, with the present one.',
  own_email: 'Your own e-mail address is changed with your present password, in oldPassword.',
  tenant_fixed: "tenantId cannot change: what a user made belongs to the user's tenant.",
  no_tenant: "tenantId must be null for a PLATFORM_ADMIN, who is the platform's own.",
  platform_stays_on: "The platform's own tenant cannot be disabled.",
  platform_factor: "The platform's own tenant cannot require a second factor.",
  key_sets_password: `A key cannot set the password of a user; log in for that. Without a password, a new user \
is invited by mail to choose one.`,
  key_sets_email: 'A key cannot set the email of a user; log in for that.',
  user_type: 'This needs the user type {allowed}.',
  makes_platform_administrators: 'Only a PLATFORM_ADMIN may make or change a PLATFORM_ADMIN.',
  makes_administrators: 'Only an administrator may make or change an administrator.',
  own_factor: 'Remove your own second factor with a code; another administrator needs none.',
  filters_tenant: 'Only a PLATFORM_ADMIN may filter by tenantId.',
  grants_all: 'Only a PLATFORM_ADMIN or a MERCHANT_ADMIN may grant the scope *.',
  scope: 'This needs the scope {scope}.',
  scope_of_user: 'This needs the scope {scope}, which the user would hold.',
  scope_of_key: 'You do not hold the scope {scope}, so a key of yours cannot either.',
  scope_to_read: 'To read {eventType} this needs the scope {scope}.',
  scope_to_receive: 'To be sent {eventType} this needs the scope {scope}.',
  unknown_scope: '{field} must name scopes, separated by commas; {given} is not one.',
  network: '{field} must be an address such as 203.0.113.7 or a network such as 203.0.113.0/24 or 2001:db8::/32.',
  one_session: 'Name the id of one session, or set all to true.',
  client_visible: '{field} must show, without control or invisible characters: the user has to recognize it.',
  account_taken: 'Another account already goes by the {field} {name}.',
  view_limit: 'A user has at most {limit} saved views; remove one first.',
  key_limit: 'A user has at most {limit} developer keys, including revoked ones (app.developer-key.max-per-user).',
  passkey_limit: 'You have {limit} passkeys, the most that one user may have. Remove one first.',
  passkeys_need_name: 'Passkeys need a host name, and app.public-url has the address {host}.',
  no_passkey: 'You have no passkey.',
  no_factor_begun: 'You have no second factor. Begin one first.',
  no_factor: 'You have no second factor. Enrol one first, at /api/user/second-factor/begin.',
  no_app: 'You have no authenticator app.',
  user_has_no_factor: 'This user has no second factor.',
  key_revoked: 'The key {id} was revoked, so it cannot be rotated.',
  key_replaced: 'The key {id} was replaced by the key {replacement}, so it cannot be rotated.',
  key_expired: 'The key {id} has expired, so it cannot be rotated.',
  attempts_of_address: 'Too many failed attempts from this address. Try again later.',
  attempts_of_codes: 'Too many wrong codes. Try again later.',
  attempts_of_logins: 'Too many failed logins. Try again later, or reset the password.',
  requests_waiting: '{waiting} requests from your {limit} are waiting. Try again shortly.',
  requests_a_minute: 'At most {most} requests a minute are served to one {limit}.',
  devices_waiting: 'Too many logins of devices are waiting. Try again in some minutes.',
  inbox_a_second: 'An inbox takes {limit} messages a second at most.',
  streams_of_user: 'A user may have {limit} streams open on a node.',
  test_key: 'A test key cannot {doing}: use a live key, or log in.',
  other_mode: 'This is for {mode} use, but {noun} {id} is for {otherMode} use: name one for {mode} use.',
  mode_stays: 'This is for {mode} use, which never changes: create another one.',
  key_of_other_mode:
    'This is a {mode} key ({prefix}…), but {noun} {id} is for {otherMode} use. Use a {otherMode} key ({otherPrefix}…).',
  livemode_of_key: 'This is a {mode} key ({prefix}…): livemode can only be {livemode}.',
  channel_mode_stays: 'Whether a channel is for live or for test payments never changes: create another.',
  sandbox_is_test: 'The sandbox takes test payments alone, and this channel is live.',
  test_key_at_live_channel: `This channel takes live payments, and this is an API key of {provider}'s test \
mode: for tests create a channel with livemode false.`,
  live_key_at_test_channel:
    "This channel takes test payments alone: with {provider} it needs an API key of that provider's test mode.",
  no_mails_of_test: 'No mails are sent about test invoices.',
  channel_code_taken: 'Another channel already has the code {code}.',
  channel_limit: 'A tenant has at most {limit} channels (app.channel.max-per-tenant): change one instead.',
  channel_in_use:
    '{open} payments of this channel are under way at {provider}: its provider can be changed when they have ended.',
  fallback_on_itself: 'A channel cannot fall back on itself.',
  channel_key_of_other_mode: `This channel takes {mode} payments, but holds an API key of its provider's \
{otherMode} mode: it needs another key.`,
  channel_off: 'This channel does not accept payments: it is switched off.',
  channel_currencies: 'This channel takes {currencies}, not {given}.',
  captures_at_once: 'Channel {channelId} only captures payments at once.',
  method_captured_at_once: '{provider} captures payments by {methodType} at once: they cannot be authorized first.',
  captures_once: 'Channel {channelId} captures a payment once: it must be final.',
  provider_cannot_capture: '{provider} cannot capture payments that way.',
  offline_cannot_capture: 'A channel without a provider cannot capture payments that way.',
  keeps_no_methods: 'Channel {channelId} cannot keep payment methods: {provider}.',
  offline_keeps_no_methods: 'Channel {channelId} cannot keep payment methods: it has no provider.',
  setup_needs_payment: 'The provider of channel {channelId} keeps such a method only with a payment: use saveMethod.',
  channel_needed_of_invoice: '{field} is required: neither the invoice nor its customer names a channel.',
  channel_needed_of_plan: '{field} must name a channel: neither the plan nor the customer does.',
  channel_not_offered: 'The page does not offer this channel.',
  methods_channel: 'This payment method is kept by channel {channelId}, and only that channel can charge it.',
  method_unusable: 'The payment method {methodId} cannot be charged: it is {status}.',
  method_in_use: `Subscriptions are charged with the payment method {methodId}: name another one in \
replaceWith, or change them first.`,
  method_declined_too_often:
    'The payment method {methodId} was declined {declines} times in {period}, which is all that {brand} allows.',
  method_kept_already: '{field} cannot be used together with methodId: that method is kept already.',
  merchant_needs_method: 'A payment without its payer (MERCHANT) needs a methodId.',
  saving_needs_customer: 'saveMethod needs a customerId.',
  bank_account_is_sepa: 'The type of a bankAccount is sepa_debit.',
  debit_needs_consent: 'A debit that is set up without the payer on a page needs consent.',
  another_method: '{field} must name another method.',
  token_needs_channel: 'paymentMethod needs a defaultChannelId: its provider keeps the payment method.',
  change_of_payment: 'Name at least one field to change: status, description or metadata.',
  only_with_failed: '{field} is only taken together with status {status}.',
  payment_cannot_become: 'A transaction that is {from} cannot become {to}; it can become {allowed}.',
  payment_is_final: 'A transaction that is {from} cannot become {to}; no update moves it any further.',
  providers_payment_cannot_become: `A transaction that is {from} cannot become {to} by update, since its \
channel's provider says what becomes of it; it can become {allowed}.`,
  providers_payment_is_final: `A transaction that is {from} cannot become {to} by update, since its channel's \
provider says what becomes of it; no update moves it any further.`,
  partly_captured: `Some of this transaction was captured: release the rest (POST /api/transaction/release), \
and refund what was taken.`,
  not_refundable_status:
    'A transaction that is {status} cannot be refunded: only money that was taken can be given back.',
  nothing_to_refund: 'Nothing is left to refund: all of it has been given back, or is about to be.',
  refund_left: 'Only {left} of {total} (minor units of {currency}) can still be refunded.',
  refund_at_other_provider: `This transaction was charged by {provider}, and its channel {channelId} is at \
{channelProvider} now: refund it at {provider}, or give the channel that provider and its credentials again.`,
  refund_without_provider: `This transaction was charged by {provider}, and its channel {channelId} has no \
provider now: refund it at {provider}, or give the channel that provider and its credentials again.`,
  cancelling: 'The provider has been asked to cancel this transaction.',
  nothing_to_capture: 'Nothing is left to capture: the final capture was made.',
  capture_left: 'Only {left} of {total} (minor units of {currency}) can still be captured.',
  cancel_instead: 'Nothing of this transaction was captured: set its status to CANCELLED instead.',
  nothing_to_release: 'Nothing is left to release: the final capture was made.',
  cancellation_has_no_outcome: 'A cancellation has no outcome of its own: end its charge, or close without an outcome.',
  operation_ended: 'Operation {number} has ended in another way, or its payment has.',
  reference_needed: "Florin does not know the provider's id of this operation: name it as `reference`.",
  reference_taken: 'Another charge or refund of this channel has this reference.',
  invoice_draft_unpayable: 'Invoice {id} is {status}: finalize it first.',
  invoice_unpayable: 'Invoice {id} is {status}: nothing can be paid on it any more.',
  invoice_not_sent: 'An invoice that is {status} is not sent: only open and paid ones are.',
  nothing_to_pay: 'Nothing is left to pay of invoice {id}: all of it has been paid, or is about to be.',
  invoice_left: 'Only {left} of {total} (minor units of {currency}) can still be paid of invoice {id}.',
  invoice_cannot_become: 'An invoice that is {from} cannot become {to}; it can become {allowed}.',
  invoice_is_final: 'An invoice that is {from} cannot become {to}; it stays as it is.',
  invoice_partly_paid: '{paid} of this invoice has been paid: mark the rest uncollectible instead.',
  invoice_not_draft: 'Invoice {id} is {status}: only a DRAFT can be changed.',
  external_id_taken: 'Another customer already has the externalId {externalId}.',
  clock_fixed: '{field} stays as it was when the customer was created.',
  customer_by_one: 'Name the customer by either id or externalId.',
  of_the_invoice: '{field} is that of the invoice: leave it out.',
  checkout_paid: 'This checkout cannot expire: it is paid.',
  checkout_in_progress: 'This checkout cannot expire: a payment of it is in progress.',
  logo_file: '{field} must be a PNG or JPEG file of at most 40 KiB, in base64.',
  unknown_placeholder: '{placeholder} is not known here. Known are {known}.',
  interval_limit: '{field} must be at most {limit} when interval is {interval}.',
  plan_field_fixed: 'This plan has subscriptions, so its {field} cannot change. Create another plan instead.',
  trial_by_one: 'Name either trialDays or trialEnd, not both.',
  subscription_paused: 'This subscription is {state}: resume it first.',
  subscription_unpaid: 'This subscription is {state}: its plan and quantity stay until it has been paid.',
  plan_of_currency: '{field} must name a plan in {currency}, as this subscription is; that one is in {otherCurrency}.',
  last_period_priced: 'The last period has begun and is already priced up to endTime: endTime cannot change.',
  paused_cancel: 'This subscription is PAUSED: cancel it at once, or resume it first.',
  cancelled_at_end: 'This subscription is cancelled at the end of its period: withdraw cancelAtPeriodEnd to pause it.',
  subscription_ended: 'This subscription is {from} and cannot change. Create another one.',
  subscription_cannot_become: 'A subscription that is {from} cannot become {to}; it can become {allowed}.',
  subscription_not_paused: 'This subscription is {from}: only one that is PAUSED can be resumed.',
  delivery_or_endpoint: 'Name a delivery, or an endpoint and since when.',
  not_with_delivery: '{field} does not go with deliveryId.',
  deliveries_kept_since:
    '{field} must not be before {time}: older deliveries are not kept (app.webhook.keep-deliveries).',
  replay_running: 'Replay {replayId} of webhook {webhookId} is running: wait until it is done.',
  message_id: "{field} must be a message's id, msg_….",
  event_id: "{field} must be an event's id, evt_….",
  promote_alone: 'promote goes alone: first stage a secret, and promote it when the receiver knows it.',
  stage_or_promote: 'Give a secret to stage, or promote the one that is staged.',
  no_secret_staged:
    'No next secret is staged for webhook {id}: there is nothing to promote, or it has been promoted already.',
  change_of_endpoint: 'Name something to change: url, events, state, maxInFlight, ratePerSecond or retry.',
  webhook_off: 'Webhook {id} is switched off: nothing is sent to it.',
  webhook_limit: 'A tenant has at most {limit} webhook endpoints (app.webhook.max-endpoints); remove one first.',
  url_spaces: '{field} must not hold spaces or control characters.',
  url_absolute: '{field} must be an absolute URL.',
  url_scheme: '{field} must begin with https:// or http://.',
  url_user: '{field} must not hold a user name or password.',
  url_host_place: '{field} must have its host right after https:// or http://, and hold no backslash.',
  url_port: '{field} must not have port 0, which no server can have.',
  url_host_length: '{field} must have a host name of at most {limit} characters.',
  url_host_labels: '{field} must have a host name whose labels have 1 to 63 letters, digits, hyphens or underscores.',
  standard_secret: `secret begins with whsec_, after which libraries of Standard Webhooks expect base64: only \
the characters A-Z a-z 0-9 + / and at most two = at the end. Make one with \`echo "whsec_$(openssl rand -base64 \
24)"\`, or choose another beginning.`,
  too_many_before_cancel: `This transaction has had {limit} requests to its provider, refunds and \
cancellations included, which is as many as one can have. Cancel it at the provider.`,
  too_many_before_refund: `This transaction has had {limit} requests to its provider, refunds and \
cancellations included, which is as many as one can have. Refund the rest at the provider.`,
  too_many_before_capture: `This transaction has had {limit} requests to its provider, refunds and \
cancellations included, which is as many as one can have. Capture the rest at the provider.`,
  captured_automatically: 'It is captured automatically: only an authorized transaction can be captured or released.',
  not_yet_authorized:
    'Its provider has not authorized it yet: only an authorized transaction can be captured or released.',
  not_authorized: 'It is {status}: only an authorized transaction can be captured or released.',
  authorized_elsewhere: '{provider} authorized this transaction, and its channel is at another provider now.',
  not_utf8: 'The body is not valid UTF-8.',
  not_valid_json: 'The body is not valid JSON.',
  too_deep: 'The body is nested deeper than {limit} levels.',
  body_size: 'The body is larger than {limit} KiB.',
  needs_token: 'This needs a Bearer access token; a developer key will not do.',
  needs_key: 'This needs a developer key; a Bearer access token will not do.',
  token_invalid: 'The token is not valid or has expired.',
  metrics_token: 'The token is not that of app.metrics.token.',
  metrics_token_missing: 'This needs an Authorization header: Bearer and app.metrics.token.',
  key_unknown: 'The key is not known, was revoked, or has expired.',
  authorization_missing: 'This needs an Authorization header: Bearer or ApiKey.',
  authorization_form: 'The Authorization header must read Bearer or ApiKey, then the secret.',
  key_under_bearer: 'A developer key is sent with another scheme: use "Authorization: ApiKey sk_…".',
  token_under_apikey: 'An access token is sent with another scheme: use "Authorization: Bearer eyJ…".',
  session_ended: 'The session has ended. Log in again.',
  token_replaced: 'The token was replaced by a newer one of its session.',
  bearer_missing: 'This needs an Authorization header with a Bearer access token.',
  bearer_form: 'This needs a Bearer access token.',
  from_other_site: 'The session of the console cannot be used by another site.',
  from_other_origin: 'The session of the console cannot be used by origin {origin}.',
  without_console_header: 'The session of the console cannot be used by a page that does not send {header}.',
  without_origin: 'The session of the console cannot be used by a page without an origin.',
  passkey_login: 'This passkey does not log in here.',
  password_login: 'The account or the password is not right.',
  step_up:
    '{what} needs a fresh code or passkey: send one to /api/user/step-up or /api/user/step-up/passkey and try again.',
  step_up_sessions: 'Ending other sessions needs a fresh login: send a code to /api/user/step-up, or log in again.',
  no_such_path: 'There is no {method} {path}.',
  no_such_file: 'There is no file {name}.',
  methods_of_path: '{path} does not take {method}, only {allowed}.',
  body_must_be_json: 'The body must be JSON: send Content-Type: application/json.',
  database_busy: 'More requests are waiting for the database than it can serve. Try again shortly.',
  too_many_waiting: 'More requests are waiting than can be served. Try again shortly.',
  too_many_lists: 'More lists are being read than the database can serve. Try again shortly.',
  database_over_limits: 'The database is over its limits just now. Try again shortly.',
  requests_wait: 'Too many requests are waiting. Try again shortly.',
  passwords_wait: 'Too many passwords are being checked just now. Try again shortly.',
  work_waits: 'More is asked for than can be charged and posted in time. Try again shortly.',
  logins_wait: 'Too many logins are waiting just now. Try again shortly.',
  logins_not_served: 'Logins are not served just now.',
  rendering_waits: 'Too many {what}s are being rendered just now. Try again shortly.',
  key_from_address: 'This key is not accepted from {address}.',
  disk_full: 'The disk of the database is full: nothing can be stored until there is room on it.',
  disk_is_full: 'The disk of the database is full: nothing can be stored.',
  database_away: 'The database cannot be reached just now. Try again shortly.',
  database_away_for: 'The database cannot be reached, for {seconds} s now.',
  database_never_reached: 'The database cannot be reached, and has not since this node was started.',
  database_read_only_for: 'The database takes no writes: a standby, or set to read-only, for {seconds} s now.',
  database_never_written:
    'The database takes no writes: a standby, or set to read-only, and has not since this node was started.',
  sandbox_records: 'The records of the sandbox could not be reached before the deadline.',
  not_ready: '{reason}',
  rendering_slow: 'The {what} could not be rendered. It took longer than {limit} s. {instead}',
  rendering_broken: 'The {what} could not be rendered. The renderer failed. {instead}',
  ask_once: 'Ask once in {interval} seconds.',
  device_denied: 'The user denied the login of this device.',
  device_session_ended: 'The session in which this login was approved has ended.',
} as const;

export type RuleName = keyof typeof rules;
export type RuleValue = string | number | boolean | readonly string[];

type Places<Sentence> = Sentence extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never;
type ValuesOf<Name extends RuleName> = { [Place in Exclude<Places<(typeof rules)[Name]>, 'field'>]: RuleValue };
type Given<Values> = [keyof Values] extends [never] ? [] : [values: Values];

/** A rule that a request breaks, with the values of its sentence. */
export interface BrokenRule {
  rule: RuleName;
  values: Readonly<Record<string, RuleValue>>;
}

export function rule<Name extends RuleName>(name: Name, ...[values]: Given<ValuesOf<Name>>): BrokenRule {
  return { rule: name, values: values ?? {} };
}

export function sentenceOf({ rule: name, values }: BrokenRule, field = ''): string {
  const all: Readonly<Record<string, RuleValue>> = { field: readable(field), ...values };
  return rules[name].replaceAll(/\{(\w+)\}/g, (_, place: string) => {
    const value = all[place] as RuleValue;
    if (place === 'type') return article(value);
    return Array.isArray(value) ? value.join(', ') : String(value);
  }).trim();
}

/** Quotes a caller's field name if it would be confused with the sentence around it. */
const readable = (field: string) => (/^[\w./-]+$/.test(field) ? field : JSON.stringify(field));

function article(type: RuleValue): string {
  const name = Array.isArray(type) ? type.join(' or ') : String(type);
  return /^[aeio]/.test(name) ? `an ${name}` : `a ${name}`;
}

const rulesOfTitles = new Map<string, BrokenRule>();

/** The title of a schema: what a value must be, by the rule that other values break ("{field} must be …"). */
export function form<Name extends RuleName>(name: Name, ...values: Given<ValuesOf<Name>>): string {
  const broken = rule(name, ...values);
  const title = sentenceOf(broken, 'it').replace(/^it must be (.*)\.$/, '$1');
  rulesOfTitles.set(title, broken);
  return title;
}

/** The rule of a title that `form` has made. */
export function ruleOfTitle(title: unknown): BrokenRule | undefined {
  return rulesOfTitles.get(title as string);
}
