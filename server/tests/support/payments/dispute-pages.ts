import { expect } from 'vitest';
import type { DisputePage, ProviderDispute, ProviderRefund } from '../../../src/domains/payments/providers/dispute.ts';

/** All pages of a provider's list of disputes and refunds. */
export async function readPages(read: (cursor: string | null) => Promise<DisputePage | { kind: string }>) {
  const pages: DisputePage[] = [];
  for (let cursor: string | null = null; pages.length === 0 || cursor !== null; ) {
    const page = (await read(cursor)) as DisputePage;
    expect(page.kind).toBe('page');
    pages.push(page);
    cursor = page.next;
  }
  const disputes: ProviderDispute[] = pages.flatMap((page) => page.disputes);
  const refunds: ProviderRefund[] = pages.flatMap((page) => page.refunds);
  const changed = pages.flatMap((page) => page.changed ?? []).map(({ reference }) => reference);
  return { pages: pages.length, disputes, refunds, changed };
}
