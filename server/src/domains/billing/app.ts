import type { Turns } from '../../platform/concurrency/turns.ts';
import type { SettingsOf } from '../../platform/settings/declare.ts';
import type { PaymentsApp } from '../payments/app.ts';
import type { InvoiceLinks, MailedInvoices } from './customer-mails/invoices.ts';
import type { PdfRenderer } from './documents/pdf/pdf-renderer.ts';
import type { settings as documentSettings } from './documents/settings.ts';
import type { settings as invoiceSettings } from './invoices/settings.ts';
import type { InvoiceFollowers } from './invoices/settlement/followers.ts';
import type { PlanUsages } from './plans/usages.ts';
import type { settings as subscriptionSettings } from './subscriptions/settings.ts';
import type { TestClocks } from './test-clocks/worker.ts';

/** The settings of these modules. */
export interface BillingSettings
  extends SettingsOf<typeof invoiceSettings>,
    SettingsOf<typeof documentSettings>,
    SettingsOf<typeof subscriptionSettings> {}

/** What the handlers, workers and sweeps of the billing modules use: also all that payments have. */
export interface BillingApp extends PaymentsApp {
  settings: PaymentsApp['settings'] & BillingSettings;

  testClocks: TestClocks;
  /** Test clocks are offered in STANDALONE mode. */
  clocksOffered: boolean;

  /** Subscriptions learn here that an invoice was paid or closed. */
  invoiceFollowers: InvoiceFollowers;
  /** Reads what mails to customers say of their invoices. */
  mailedInvoices: MailedInvoices;
  /** Finds the page on which an invoice is paid, for mails and the customer portal. */
  invoiceLinks: InvoiceLinks;
  /** Counts a payment that took, or is authorized for, more than was left to pay, by what becomes of it. */
  onExcess: (became: 'refunded' | 'to_return' | 'released' | 'held') => void;
  pdfRenderer: PdfRenderer;
  /** Says whether a plan has subscriptions. */
  planUsages: PlanUsages;
  /** Runs a few searches at once; tenants take turns. */
  searchTurns: Turns;
}
