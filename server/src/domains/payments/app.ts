import type { BackgroundWorker } from '../../platform/jobs/background-worker.ts';
import type { SettingsOf } from '../../platform/settings/declare.ts';
import type { WebhooksApp } from '../webhooks/app.ts';
import type { CallbackIntake } from './callbacks/receive.ts';
import type { ChannelCredentials } from './channels/credentials.ts';
import type { ChannelDirectory } from './channels/directory.ts';
import type { OperatorWarnings } from './channels/operator-warnings.ts';
import type { settings as channelSettings } from './channels/settings.ts';
import type { ObserveDispute } from './disputes/metrics.ts';
import type { DisputeNotices } from './disputes/notices.ts';
import type { settings as disputeSettings } from './disputes/settings.ts';
import type { ChargeMethods } from './methods/charges.ts';
import type { RegisteredMethodCustomers } from './methods/customers.ts';
import type { MethodNotices } from './methods/notices.ts';
import type { WaitingSetups } from './methods/waiting-setups.ts';
import type { RegisteredDisputeFunds } from './operations/discrepancies/dispute-funds.ts';
import type { Dispatcher } from './operations/dispatcher.ts';
import type { WaitingPayments } from './operations/look-up-waiting.ts';
import type { PayerReturns } from './operations/payer-returns.ts';
import type { FinishedRechecker } from './operations/recheck-finished.ts';
import type { settings as operationSettings } from './operations/settings.ts';
import type { Settler } from './operations/settle.ts';
import type { Providers } from './providers/directory.ts';
import type { settings as providerSettings } from './providers/settings.ts';
import type { RawBodies } from './raw-bodies/raw-bodies.ts';
import type { settings as refundSettings } from './refunds/settings.ts';
import type { RegisteredInvoicePayments } from './transactions/invoice-payments.ts';
import type { Payments } from './transactions/payments.ts';

/** The settings of these modules. */
export interface PaymentsSettings
  extends SettingsOf<typeof providerSettings>,
    SettingsOf<typeof channelSettings>,
    SettingsOf<typeof refundSettings>,
    SettingsOf<typeof disputeSettings>,
    SettingsOf<typeof operationSettings> {}

/** What the handlers, workers and sweeps of the payments modules use: also all that webhooks have. */
export interface PaymentsApp extends WebhooksApp {
  settings: WebhooksApp['settings'] & PaymentsSettings;

  providers: Providers;
  channels: ChannelDirectory;
  credentials: ChannelCredentials;
  operatorWarnings: OperatorWarnings;
  /** Of one tenant: `app.channel.max-per-tenant`. */
  maxChannels: number;

  /** Billing registers itself here, because methods belong to its customers. */
  methodCustomers: RegisteredMethodCustomers;
  methodWorker: BackgroundWorker;
  expiryWorker: BackgroundWorker;
  /** Reads payment methods of providers that send no events about them. */
  readingWorker: BackgroundWorker;
  methodNotices: MethodNotices;
  waitingSetups: WaitingSetups;
  /** Payment methods of charges: what is sent of them, and what becomes of them. */
  chargeMethods: ChargeMethods;

  /** Writes, finds, locks and changes payments. */
  payments: Payments;
  /** Billing registers itself here, because payments of invoices reserve and settle them. */
  invoicePayments: RegisteredInvoicePayments;
  /** `app.security.step-up-refund-amount`, in minor units of any currency. */
  stepUpRefundAmount: number | undefined;

  /** Receives the payers whom providers send back. */
  payerReturns: PayerReturns;
  /** These four call providers within `app.provider.timeout`. */
  dispatcher: Dispatcher;
  discrepancyWorker: BackgroundWorker;
  rechecker: FinishedRechecker;
  waitingPayments: WaitingPayments;
  settler: Settler;
  /** Files that requests bring. */
  rawBodies: RawBodies;
  /** Follows callbacks about disputes. */
  disputeNotices: DisputeNotices;
  /** Disputes register themselves here, because discrepancies about them are closed with what they have taken. */
  disputeFunds: RegisteredDisputeFunds;
  observeDispute: ObserveDispute;
  disputeWorkers: readonly BackgroundWorker[];
  intake: CallbackIntake;
}
