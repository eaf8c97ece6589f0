import { dayMs, hourMs } from '../../../core/clock.ts';

/**
 * How often a network lets the same card be declined at a merchant before it charges for, or forbids, each further try.
 */
export interface NetworkCap {
  declines: number;
  periodMs: number;
  source: string;
}

const month = 30 * dayMs;

/**
 * By the brand of the card, in lower case. The networks' own rules are not public in full: these are the figures that
 * acquirers publish, and where those differ the lowest. Networks count declines of one card and amount at a merchant;
 * here all declines of a payment method count, which is never fewer.
 */
export const networkCaps: Readonly<Record<string, readonly NetworkCap[]>> = {
  visa: [
    {
      declines: 15,
      periodMs: month,
      source:
        'Visa, reattempts after a decline of category 2 to 4 in 30 days: 15 by Payvision (payvision.com, 2021), Nets ' +
        '(support.nets.eu, 2024) and CardPointe; 20 from May 2025 by Checkout.com and Cielo (docs.cielo.com.br).',
    },
  ],
  mastercard: [
    {
      declines: 10,
      periodMs: dayMs,
      source:
        'Mastercard, Transaction Processing Excellence, in 24 hours: 10 by Checkout.com (support.checkout.com), ' +
        'Dintero (docs.dintero.com) and TabaPay (developers.tabapay.com).',
    },
    {
      declines: 35,
      periodMs: month,
      source:
        'Mastercard, Transaction Processing Excellence, in 30 days: 35 by Braintree (developer.paypal.com/braintree, ' +
        '2023), Checkout.com and TabaPay.',
    },
  ],
};

/** Brands whose network has a cap, in lower case. */
export const cappedBrands = Object.keys(networkCaps);

/** No network counts declines for longer. */
export const longestCapMs = Math.max(...Object.values(networkCaps).flatMap((caps) => caps.map((cap) => cap.periodMs)));

/** How many further attempts the tightest cap of a brand leaves; undefined: the brand has none. */
export function attemptsLeft(
  brand: string,
  { declinedMs, underWay }: { declinedMs: readonly number[]; underWay: number },
  nowMs: number,
): { cap: NetworkCap; left: number } | undefined {
  const caps = networkCaps[brand.toLowerCase()] ?? [];
  const all = caps.map((cap) => {
    const declines = declinedMs.filter((atMs) => atMs > nowMs - cap.periodMs).length;
    return { cap, left: Math.max(0, cap.declines - declines - underWay) };
  });
  return all.toSorted((a, b) => a.left - b.left)[0];
}

/** A period for people: `24 hours`, `30 days`. */
export function periodText({ periodMs }: NetworkCap): string {
  return periodMs > dayMs ? `${periodMs / dayMs} days` : `${periodMs / hourMs} hours`;
}
