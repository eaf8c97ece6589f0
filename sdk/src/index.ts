export { Florin, type FlorinOptions, type LoginInput, type TransactionHelpers } from './client.ts';
export type { Tokens } from './credentials.ts';
export * from './errors.ts';
export type * from './generated/api.ts';
export { operations, version } from './generated/operations.ts';
export type {
  Call,
  GivenHeaders,
  Operation,
  Pagination,
  Params,
  RawBody,
  Reply,
  RequestOptions,
  WriteOptions,
} from './operation.ts';
export type { List, Page } from './pages.ts';
export type { Logger } from './transport.ts';
export type { WaitOptions } from './wait-for.ts';
export {
  type FlorinEvent,
  signForTest,
  type TestEvent,
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookHelpers,
} from './webhooks.ts';
