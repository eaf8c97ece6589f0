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

/** No network counts declines for longer. */
export const longestCapMs = Math.max(...Object.values(networkCaps).flatMap((caps) => caps.map((cap) => cap.periodMs)));

/** The cap that a card's declines have reached (times in ms); undefined: it may be charged. */
export function reachedCap(brand: string | null, declinedMs: readonly number[], nowMs: number): NetworkCap | undefined {
  return networkCaps[brand?.toLowerCase() ?? '']?.find(
    ({ declines, periodMs }) => declinedMs.filter((atMs) => atMs > nowMs - periodMs).length >= declines,
  );
}

/** A period for people: `24 hours`, `30 days`. */
export function periodText({ periodMs }: NetworkCap): string {
  return periodMs > dayMs ? `${periodMs / dayMs} days` : `${periodMs / hourMs} hours`;
}
