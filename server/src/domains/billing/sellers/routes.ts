import { administrator, type Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { BillingApp } from '../app.ts';
import { modifySeller } from './modify.ts';
import { readSeller } from './read.ts';
import { sellerInput, sellerQuery, sellerRecord } from './schema.ts';

const { get, postOnce } = routesFor<BillingApp>();

export const sellerRoutes: readonly Route<BillingApp>[] = [
  get('/api/seller/detail', administrator('*'), 'Tenants', {
    summary: 'Get the seller',
    description:
      "How the caller's tenant presents itself to payers and customers; for a PLATFORM_ADMIN also another one.",
    query: sellerQuery,
    data: sellerRecord,
    handle: readSeller,
  }),

  postOnce('/api/seller/modify', administrator('*'), 'Tenants', {
    summary: 'Change the seller',
    description:
      "What invoices, mails to customers and the pages of payers show of the caller's tenant; " +
      'for a PLATFORM_ADMIN also of another one. Fields that are left out keep their values.',
    body: sellerInput,
    refuses: ['livemode_mismatch', 'step_up_required'],
    data: sellerRecord,
    message: 'Seller updated',
    handle: modifySeller,
  }),
];
