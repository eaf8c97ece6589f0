import { CaptureMethod, type Payment, PaymentLineType, type PaymentMethod } from '@mollie/api-client';
import type { BillingAddress, ChargeLine, ChargeOperation } from '../provider.ts';
import { type MollieAmount, mollieAmount } from './amounts.ts';
import { methods, type Need } from './vocabulary.ts';

type PaymentLine = NonNullable<Payment['lines']>[number];
type Address = NonNullable<Payment['billingAddress']>;

/** The details of a purchase, as Mollie takes them. */
export interface Order {
  lines?: PaymentLine[];
  billingAddress?: Address;
  captureMode?: CaptureMethod;
}

/**
 * The lines and the address of a charge, for a method that needs them, or for Mollie's page, which then offers such
 * methods too. Other methods get neither. Returns what is missing if the method cannot do without it.
 */
export function orderOf(operation: ChargeOperation, method: PaymentMethod | undefined): Order | Need {
  const needs = method === undefined ? [...allNeeds] : needsOf(method);
  const lines = needs.includes('lines') ? linesOf(operation) : undefined;
  const billingAddress = needs.includes('billingAddress') ? addressOf(operation.billingAddress) : undefined;
  if (method !== undefined && needs.includes('lines') && lines === undefined) return 'lines';
  const isWhole = billingAddress !== undefined && (method === undefined || isAddressFor(method, billingAddress));
  if (method !== undefined && needs.includes('billingAddress') && !isWhole) return 'billingAddress';
  return {
    ...(lines !== undefined && { lines }),
    ...(billingAddress !== undefined && { billingAddress }),
    ...(method !== undefined && onlyAuthorizes.includes(method) && { captureMode: CaptureMethod.manual }),
  };
}

const allNeeds: readonly Need[] = ['lines', 'billingAddress'];

/** https://docs.mollie.com/reference/create-payment, `captureMode`. */
const onlyAuthorizes: readonly string[] = ['riverty'];

/** https://docs.mollie.com/reference/create-payment, `billingAddress.postalCode`. */
const needPostalCode: readonly string[] = ['billie', 'in3', 'klarna', 'riverty'];

function isAddressFor(method: string, { postalCode }: Address): boolean {
  return postalCode !== undefined || !needPostalCode.includes(method);
}

function needsOf(method: string): readonly Need[] {
  const known = methods[method];
  return typeof known === 'object' && 'needs' in known ? known.needs : [];
}

/** Undefined if the lines do not add up to the amount, as for a partial payment of an invoice. */
function linesOf({ lines, amount, currency }: ChargeOperation): PaymentLine[] | undefined {
  if (lines === null || lines.length === 0) return undefined;
  if (lines.reduce((sum, line) => sum + totalOf(line), 0) !== amount) return undefined;
  return lines.map((line) => mollieLine(line, currency));
}

const totalOf = ({ amount, taxAmount }: ChargeLine): number => amount + taxAmount;

/**
 * Mollie's prices include the tax, and it refuses a line whose price times quantity is not its total. Where the tax
 * makes the price of a unit a fraction, the line is one unit of its total.
 */
function mollieLine(line: ChargeLine, currency: string): PaymentLine {
  const total = totalOf(line);
  const isWhole = total % line.quantity === 0;
  const inMoney = (amount: number) => mollieAmount(amount, currency) as MollieAmount;
  return {
    ...(total < 0 && { type: PaymentLineType.discount }),
    description: isWhole ? line.description : `${line.quantity} × ${line.description}`,
    quantity: isWhole ? line.quantity : 1,
    unitPrice: inMoney(isWhole ? total / line.quantity : total),
    totalAmount: inMoney(total),
    ...(hasMollieTax(line) && {
      vatRate: ((line.taxRate as number) / 100).toFixed(2),
      vatAmount: inMoney(line.taxAmount),
    }),
  };
}

/** Mollie refuses a tax that differs from the one that it calculates from the total; a line needs none. */
function hasMollieTax(line: ChargeLine): boolean {
  const { taxRate, taxAmount } = line;
  if (taxRate === null || totalOf(line) < 0) return false;
  const [total, rate] = [BigInt(totalOf(line)), BigInt(taxRate)];
  const whole = 10_000n + rate;
  return (2n * total * rate + whole) / (2n * whole) === BigInt(taxAmount);
}

/** Undefined without what every address at Mollie must have. */
function addressOf(address: BillingAddress | null): Address | undefined {
  if (address === null) return undefined;
  const { name, email, line1, line2, postalCode, city, state, country } = address;
  if (line1 === null || city === null || country === null || email === null || name === null) return undefined;
  const { givenName, familyName } = namesIn(name);
  return {
    givenName,
    familyName,
    organizationName: name,
    email,
    streetAndNumber: line1,
    ...(line2 !== null && { streetAdditional: line2 }),
    ...(postalCode !== null && { postalCode }),
    city,
    ...(state !== null && { region: state }),
    country,
  };
}

/** Mollie wants two names. The last word counts as the family's; a single one as both. */
function namesIn(name: string): { givenName: string; familyName: string } {
  const words = name.trim().split(/\s+/);
  const familyName = words.at(-1) as string;
  return { givenName: words.slice(0, -1).join(' ') || familyName, familyName };
}
