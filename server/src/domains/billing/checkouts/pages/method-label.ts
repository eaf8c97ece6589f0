import type { MethodOnPage } from '../method-statements.ts';
import type { Texts } from './texts.ts';

/** A payment method as its owner knows it: `Visa, ending in 4242`. */
export function methodLabel(
  { type, brand, last4 }: Pick<MethodOnPage, 'type' | 'brand' | 'last4'>,
  text: Texts,
): string {
  const name = brand === null ? text.methodTypes[type] : `${brand.slice(0, 1).toUpperCase()}${brand.slice(1)}`;
  return last4 === null ? name : text.endingIn(name, last4);
}
