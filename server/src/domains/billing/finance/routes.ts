import { Type } from 'typebox';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { BillingApp } from '../app.ts';
import { fileTypes, saveInvoices, saveLedger, savePayments, saveRefunds, saveTaxes } from './files.ts';
import { invoicesFile, ledgerFile, paymentsFile, refundsFile, taxesFile } from './schema.ts';

const { get } = routesFor<BillingApp>();

const about =
  'Returns a file instead of the JSON envelope: amounts in major units, names of customers, headers in the chosen ' +
  'language. Errors use the envelope. The export is recorded in the audit log.';

const file = {
  data: Type.Null(),
  documentTypes: Object.values(fileTypes).map((type) => type.split(';')[0] as string),
  refuses: ['rendering_failed'] as const,
};

/** Files for people who keep the books. The exports of the lists are for programs. */
export const financeRoutes: readonly Route<BillingApp>[] = [
  get('/api/finance/payments', 'transaction_read', 'Finance files', {
    operationId: 'exportPaymentsForFinance',
    summary: 'Save payments for finance',
    description: about,
    query: paymentsFile,
    ...file,
    handle: savePayments,
  }),

  get('/api/finance/refunds', 'transaction_read', 'Finance files', {
    operationId: 'exportRefundsForFinance',
    summary: 'Save refunds for finance',
    description: about,
    query: refundsFile,
    ...file,
    handle: saveRefunds,
  }),

  get('/api/finance/invoices', 'invoice_read', 'Finance files', {
    operationId: 'exportInvoicesForFinance',
    summary: 'Save invoices for finance',
    description: about,
    query: invoicesFile,
    ...file,
    handle: saveInvoices,
  }),

  get('/api/finance/ledger', 'transaction_read', 'Finance files', {
    operationId: 'exportLedgerForFinance',
    summary: 'Save the ledger for finance',
    description: `${about} Each transfer is a row, oldest first, with the accounts that it debits and credits.`,
    query: ledgerFile,
    ...file,
    handle: saveLedger,
  }),

  get('/api/finance/taxes', 'invoice_read', 'Finance files', {
    operationId: 'exportTaxesForFinance',
    summary: 'Save taxes for finance',
    description:
      `${about} Net and tax of all finalized invoices that are not VOID, by month, country of the customer and tax ` +
      'rate. Credits, which are lines below zero, have rows of their own. The month is that in which the invoice ' +
      'was finalized, in `timeZone`.',
    query: taxesFile,
    ...file,
    handle: saveTaxes,
  }),
];
