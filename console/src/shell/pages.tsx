import { Anchor, Center, Loader } from '@mantine/core';
import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { EmptyState } from '../ui/notes.tsx';
import { Page } from '../ui/page.tsx';
import { PageBoundary } from './page-boundary.tsx';
import type { PagePath } from './page-paths.ts';
import { useText } from './preferences.tsx';

// biome-ignore lint/suspicious/noExplicitAny: each page takes the parts of its own path
type PageComponent = LazyExoticComponent<ComponentType<any>>;

/** Each page is in its own file, loaded when it is first shown. */
const pages: Record<PagePath, PageComponent> = {
  '/': lazy(() => import('../pages/home/home-page.tsx')),
  '/welcome': lazy(() => import('../pages/first-run/first-run-page.tsx')),
  '/payments': lazy(() => import('../pages/payments/payments-page.tsx')),
  '/payments/:id': lazy(() => import('../pages/payments/payment-page.tsx')),
  '/refunds': lazy(() => import('../pages/refunds/refunds-page.tsx')),
  '/refunds/:id': lazy(() => import('../pages/refunds/refund-page.tsx')),
  '/checkouts': lazy(() => import('../pages/checkouts/checkouts-page.tsx')),
  '/disputes': lazy(() => import('../pages/disputes/disputes-page.tsx')),
  '/disputes/:id': lazy(() => import('../pages/disputes/dispute-page.tsx')),
  '/discrepancies': lazy(() => import('../pages/discrepancies/discrepancies-page.tsx')),
  '/ledger': lazy(() => import('../pages/ledger/ledger-page.tsx')),
  '/customers': lazy(() => import('../pages/customers/customers-page.tsx')),
  '/customers/:id': lazy(() => import('../pages/customers/customer-page.tsx')),
  '/invoices': lazy(() => import('../pages/invoices/invoices-page.tsx')),
  '/invoices/:id': lazy(() => import('../pages/invoices/invoice-page.tsx')),
  '/subscriptions': lazy(() => import('../pages/subscriptions/subscriptions-page.tsx')),
  '/subscriptions/:id': lazy(() => import('../pages/subscriptions/subscription-page.tsx')),
  '/plans': lazy(() => import('../pages/plans/plans-page.tsx')),
  '/plans/:id': lazy(() => import('../pages/plans/plan-page.tsx')),
  '/channels': lazy(() => import('../pages/channels/channels-page.tsx')),
  '/keys': lazy(() => import('../pages/keys/keys-page.tsx')),
  '/webhooks': lazy(() => import('../pages/webhooks/webhooks-page.tsx')),
  '/webhooks/:id': lazy(() => import('../pages/webhooks/endpoint-page.tsx')),
  '/deliveries': lazy(() => import('../pages/webhooks/deliveries-page.tsx')),
  '/deliveries/:id': lazy(() => import('../pages/webhooks/delivery-page.tsx')),
  '/inboxes': lazy(() => import('../pages/inboxes/inboxes-page.tsx')),
  '/inboxes/:id': lazy(() => import('../pages/inboxes/inbox-page.tsx')),
  '/events': lazy(() => import('../pages/events/events-page.tsx')),
  '/events/:id': lazy(() => import('../pages/events/event-page.tsx')),
  '/requests': lazy(() => import('../pages/requests/requests-page.tsx')),
  '/requests/:id': lazy(() => import('../pages/requests/request-page.tsx')),
  '/team': lazy(() => import('../pages/team/team-page.tsx')),
  '/tenants': lazy(() => import('../pages/tenants/tenants-page.tsx')),
  '/seller': lazy(() => import('../pages/seller/seller-page.tsx')),
  '/account': lazy(() => import('../pages/account/account-page.tsx')),
  '/audit': lazy(() => import('../pages/audit/audit-page.tsx')),
  '/system': lazy(() => import('../pages/system/system-page.tsx')),
};

export function Pages() {
  const [path] = useLocation();
  return (
    <Suspense
      fallback={
        <Center mih={200}>
          <Loader />
        </Center>
      }
    >
      <PageBoundary path={path}>
        <Switch>
          {Object.entries(pages).map(([path, Component]) => (
            <Route key={path} path={path}>
              {/* The page of another record starts without the data and the dialogs of the one before. */}
              {(params) => <Component key={(params as { id?: string }).id} {...params} />}
            </Route>
          ))}
          <Route>
            <UnknownPage />
          </Route>
        </Switch>
      </PageBoundary>
    </Suspense>
  );
}

function UnknownPage() {
  const text = useText();
  return (
    <Page title={text('unknown.title')}>
      <EmptyState title={text('unknown.hint')}>
        <Anchor component={Link} href="/">
          {text('unknown.home')}
        </Anchor>
      </EmptyState>
    </Page>
  );
}
