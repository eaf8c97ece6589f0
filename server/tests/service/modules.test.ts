import { expect, expectTypeOf, test } from 'vitest';
import { modules } from '../../src/app/modules.ts';
import { allRoutes } from '../../src/app/routes.ts';
import type { BillingApp } from '../../src/domains/billing/app.ts';
import type { IdentityApp } from '../../src/domains/identity/app.ts';
import type { PaymentsApp } from '../../src/domains/payments/app.ts';
import type { WebhooksApp } from '../../src/domains/webhooks/app.ts';
import type { Route } from '../../src/platform/http/route.ts';

test('every module has its own name, and every endpoint its own method and path', () => {
  const endpoints = allRoutes.map(({ method, path }) => `${method} ${path}`);
  for (const names of [modules.map(({ name }) => name), endpoints]) expect(new Set(names).size).toBe(names.length);
});

test('a handler reaches the services of its own group and of those below, never of those above', () => {
  expectTypeOf<Route<IdentityApp>>().toExtend<Route<WebhooksApp>>();
  expectTypeOf<Route<WebhooksApp>>().toExtend<Route<PaymentsApp>>();
  expectTypeOf<Route<PaymentsApp>>().toExtend<Route<BillingApp>>();
  expectTypeOf<Route<BillingApp>>().not.toExtend<Route<PaymentsApp>>();
  expectTypeOf<Route<PaymentsApp>>().not.toExtend<Route<WebhooksApp>>();
  expectTypeOf<Route<WebhooksApp>>().not.toExtend<Route<IdentityApp>>();
});
