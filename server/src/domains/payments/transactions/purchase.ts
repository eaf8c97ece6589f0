import { invalid } from '../../../core/errors.ts';
import { priceLines } from '../../../core/price-lines.ts';
import { rule } from '../../../core/refusal-rules.ts';
import type { BillingAddress, Purchase } from '../providers/provider.ts';
import type { CreateInput } from './schema.ts';

/**
 * What is bought with a payment, and who pays, as its creator says; null: nothing was said. Refuses lines that do not
 * add up to the amount.
 */
export function purchaseIn({
  lines,
  billingAddress,
  amount,
}: Pick<CreateInput, 'lines' | 'billingAddress' | 'amount'>): Purchase | null {
  if (lines === undefined && billingAddress === undefined) return null;
  const priced = lines === undefined ? null : priceLines(lines);
  if (priced !== null && priced.total !== amount) {
    throw invalid('lines', rule('lines_add_up', { total: priced.total, amount }));
  }
  return {
    lines: priced?.lines ?? null,
    billingAddress: billingAddress === undefined ? null : { ...noAddress, ...billingAddress },
  };
}

/** What a payment says of its purchase, and what it leaves out, which its invoice or its customer says. */
export function withDefaults(stated: Purchase | null, defaults: Purchase): Purchase {
  const { lines, billingAddress } = stated ?? { lines: null, billingAddress: null };
  return { lines: lines ?? defaults.lines, billingAddress: addressWith(billingAddress, defaults.billingAddress) };
}

/** Of another address only the name and the e-mail address are taken, because the payer has those everywhere. */
function addressWith(stated: BillingAddress | null, otherwise: BillingAddress | null): BillingAddress | null {
  if (stated === null || otherwise === null) return stated ?? otherwise;
  return { ...stated, name: stated.name ?? otherwise.name, email: stated.email ?? otherwise.email };
}

export const noPurchase: Purchase = { lines: null, billingAddress: null };

export const noAddress: BillingAddress = {
  name: null,
  email: null,
  line1: null,
  line2: null,
  postalCode: null,
  city: null,
  state: null,
  country: null,
};
