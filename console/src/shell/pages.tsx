import { Anchor, Center, Loader } from '@mantine/core';
import { type ComponentType, type LazyExoticComponent, lazy, Suspense } from 'react';
import { Link, Route, Switch } from 'wouter';
import { EmptyState } from '../ui/notes.tsx';
import { Page } from '../ui/page.tsx';
import { useText } from './preferences.tsx';

// biome-ignore lint/suspicious/noExplicitAny: each page takes the parts of its own path
type PageComponent = LazyExoticComponent<ComponentType<any>>;

/** Every page is a file of its own, read when it is first shown. */
const pages: readonly (readonly [string, PageComponent])[] = [
  ['/', lazy(() => import('../pages/home/home-page.tsx'))],
  ['/payments', lazy(() => import('../pages/payments/payments-page.tsx'))],
  ['/payments/:id', lazy(() => import('../pages/payments/payment-page.tsx'))],
];

export function Pages() {
  return (
    <Suspense
      fallback={
        <Center mih={200}>
          <Loader />
        </Center>
      }
    >
      <Switch>
        {pages.map(([path, Component]) => (
          <Route key={path} path={path}>
            {(params) => <Component {...params} />}
          </Route>
        ))}
        <Route>
          <UnknownPage />
        </Route>
      </Switch>
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
