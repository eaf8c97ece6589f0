import { usageFailure } from '../failures.ts';

/** Names of columns and fields that hold whole card numbers, in lower case, without separators. */
const namesOfNumbers: ReadonlySet<string> = new Set(['cardnumber', 'number', 'pan', 'cardpan', 'primaryaccountnumber']);

export const namesCardNumbers = (name: string): boolean =>
  namesOfNumbers.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''));

const digits = /(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w.-])/g;
/** The first digits of Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay and Maestro (ISO 7812). */
const issuers = /^(?:4|5[0-8]|2[2-7]|3[0-8]|6)/;

/** Whether a text contains what can only be a card number: digits of a network with a right check digit. */
export function containsCardNumber(text: string): boolean {
  return (text.match(digits) ?? []).some((found) => {
    const number = found.replaceAll(/[ -]/g, '');
    return issuers.test(number) && isLuhn(number);
  });
}

/** The number is never printed. */
export function refuseCardNumbers(file: string, where: string): never {
  throw usageFailure(
    `${file} contains card numbers (${where}) and is not read further. Card numbers must never leave the provider: ` +
      'while you keep your account at Stripe, the ids of its payment methods are enough. Delete the file.',
  );
}

function isLuhn(number: string): boolean {
  const sum = [...number].toReversed().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
