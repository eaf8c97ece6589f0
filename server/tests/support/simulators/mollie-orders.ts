import type { MandateMethod, SequenceType, SimulatedPayment } from './mollie-records.ts';
import {
  type Amount,
  amountIn,
  type Mode,
  metadataIn,
  minorUnits,
  newId,
  Problem,
  textIn,
  urlIn,
} from './mollie-values.ts';

/**
 * What a first payment keeps, by the method that the payer chose. Other methods cannot be used for it:
 * https://help.mollie.com/hc/en-us/articles/214072489
 */
export const mandateMethodOf: Readonly<Record<string, MandateMethod>> = {
  applepay: 'creditcard',
  bancontact: 'directdebit',
  belfius: 'directdebit',
  creditcard: 'creditcard',
  eps: 'directdebit',
  ideal: 'directdebit',
  kbc: 'directdebit',
  paypal: 'paypal',
};

export const firstMethods: readonly string[] = Object.keys(mandateMethodOf);

export function newPayment(body: Record<string, unknown>, mode: Mode, createdMs: number): SimulatedPayment {
  const sequenceType = sequenceTypeIn(body);
  const offered = methodsIn(body, sequenceType);
  const amount = amountIn(body.amount, takesNothing(offered, sequenceType) ? 0n : 1n);
  if ('testmode' in body)
    throw new Problem(400, 'Non-existent body parameter "testmode" for this API call.', 'testmode');
  requireDetailsOfMethod(body);
  requireSums(body, amount);
  requireAddress(body);
  return {
    id: newId('tr_'),
    mode,
    status: 'open',
    failureReason: null,
    amount,
    // Mollie shortens it, and refuses none for being long.
    description: [...textIn(body, 'description')].slice(0, 255).join(''),
    redirectUrl: redirectUrlIn(body, sequenceType),
    webhookUrl: body.webhookUrl === undefined ? null : urlIn(body, 'webhookUrl'),
    method: offered?.length === 1 ? (offered[0] as string) : null,
    offered,
    sequenceType,
    bankReasonCode: null,
    metadata: metadataIn(body),
    createdMs,
    changedMs: null,
    isReleasing: false,
    refunds: [],
    chargebacks: [],
    captures: [],
    ...(body.lines !== undefined && { lines: body.lines }),
    ...(body.billingAddress !== undefined && { billingAddress: body.billingAddress }),
    ...(body.captureMode !== undefined && { captureMode: body.captureMode }),
  };
}

function sequenceTypeIn({ sequenceType = 'oneoff' }: Record<string, unknown>): SequenceType {
  if (sequenceType === 'oneoff' || sequenceType === 'first' || sequenceType === 'recurring') return sequenceType;
  throw new Problem(422, 'The sequence type is invalid', 'sequenceType');
}

function methodsIn(body: Record<string, unknown>, sequenceType: SequenceType): string[] | null {
  if (body.method === undefined) return null;
  const methods = Array.isArray(body.method) ? (body.method as string[]) : [textIn(body, 'method', 32)];
  if (sequenceType === 'first' && !methods.every((method) => firstMethods.includes(method))) {
    throw new Problem(422, 'The payment method does not support first payments', 'method');
  }
  return methods;
}

/** A first payment of nothing, for cards and PayPal: https://help.mollie.com/hc/en-us/articles/214072489 */
export const methodsWithoutMoney = ['creditcard', 'paypal'];

function takesNothing(offered: string[] | null, sequenceType: SequenceType): boolean {
  return sequenceType === 'first' && (offered ?? []).every((method) => methodsWithoutMoney.includes(method));
}

/** Nobody is redirected by a recurring payment; any other needs the address. */
function redirectUrlIn(body: Record<string, unknown>, sequenceType: SequenceType): string | null {
  if (sequenceType !== 'recurring') return urlIn(body, 'redirectUrl');
  if (body.redirectUrl === undefined) return null;
  throw new Problem(422, 'A recurring payment has no redirect URL', 'redirectUrl');
}

/** https://docs.mollie.com/reference/create-payment, `lines` and `billingAddress`. */
export const methodsThatNeed: Readonly<Record<string, readonly string[]>> = {
  lines: ['billie', 'billink', 'in3', 'klarna', 'riverty', 'voucher'],
  billingAddress: ['alma', 'billie', 'billink', 'in3', 'klarna', 'riverty'],
  captureMode: ['riverty'],
  terminalId: ['pointofsale'],
};

/** Whether a payer can pay with a method on the page of a payment that has named none. */
export function isOfferedFor(payment: SimulatedPayment, method: string): boolean {
  const hasDetails = ['lines', 'billingAddress'].every((field) => {
    const isNeeded = methodsThatNeed[field]?.includes(method);
    return !isNeeded || payment[field as 'lines' | 'billingAddress'] !== undefined;
  });
  return hasDetails && (method !== 'voucher' || hasCategories(payment));
}

/** https://docs.mollie.com/docs/integrating-vouchers: a line that a voucher may pay has a category. */
function hasCategories({ lines }: { lines?: unknown }): boolean {
  return Array.isArray(lines) && lines.some(({ categories }: Line) => (categories ?? []).length > 0);
}

interface Line {
  categories?: string[];
  type?: string;
  quantity: number;
  unitPrice: Amount;
  totalAmount: Amount;
  discountAmount?: Amount;
  vatRate?: string;
  vatAmount?: Amount;
}

/** https://docs.mollie.com/reference/create-payment, `lines`: the formulas of `totalAmount` and `vatAmount`. */
function requireSums({ lines }: Record<string, unknown>, amount: Amount): void {
  if (lines === undefined) return;
  for (const line of lines as Line[]) requireSumsOfLine(line, amount.currency);
  const sum = (lines as Line[]).reduce((all, { totalAmount }) => all + minorUnits(totalAmount), 0n);
  if (sum !== minorUnits(amount)) throw new Problem(422, 'The lines do not add up to the amount', 'lines');
}

const lineTypesBelowZero = ['discount', 'store_credit', 'gift_card'];

function requireSumsOfLine(line: Line, currency: string): void {
  const { type = 'physical', quantity, unitPrice, totalAmount, discountAmount, vatRate, vatAmount } = line;
  const discount = discountAmount === undefined ? 0n : minorUnits(discountAmount);
  const total = minorUnits(unitPrice) * BigInt(quantity) - discount;
  const isBelowZero = minorUnits(unitPrice) < 0n;
  if (total !== minorUnits(totalAmount)) throw new Problem(422, 'The total of a line is wrong', 'lines');
  if (unitPrice.currency !== currency || totalAmount.currency !== currency) {
    throw new Problem(422, 'The currency of a line is another', 'lines');
  }
  if (isBelowZero !== lineTypesBelowZero.includes(type))
    throw new Problem(422, 'The price of a line is wrong', 'lines');
  if (vatRate === undefined || vatAmount === undefined) return;
  const tax = Math.round((Number(total) * Number(vatRate)) / (100 + Number(vatRate)));
  if (BigInt(tax) !== minorUnits(vatAmount)) throw new Problem(422, 'The VAT of a line is wrong', 'lines');
}

const addressOfPayLater = ['givenName', 'familyName', 'email', 'streetAndNumber', 'postalCode', 'city', 'country'];

/** https://docs.mollie.com/reference/create-payment, `billingAddress`. */
function requireAddress({ billingAddress, method }: Record<string, unknown>): void {
  if (billingAddress === undefined) return;
  const address = billingAddress as Record<string, unknown>;
  const has = (...fields: string[]) => fields.every((field) => typeof address[field] === 'string');
  const isWhole = has('email') || has('streetAndNumber', 'postalCode', 'city', 'country');
  const isPayLater = ['billie', 'in3', 'klarna', 'riverty'].includes(method as string);
  if (!isWhole || (isPayLater && !has(...addressOfPayLater)) || (method === 'billie' && !has('organizationName'))) {
    throw new Problem(422, 'The billing address is incomplete', 'billingAddress');
  }
}

function requireDetailsOfMethod(body: Record<string, unknown>): void {
  const { method } = body;
  const missing = Object.keys(methodsThatNeed).find(
    (field) => body[field] === undefined && methodsThatNeed[field]?.includes(method as string),
  );
  if (missing !== undefined) throw new Problem(422, `The '${missing}' field is missing`, missing);
  if (method === 'voucher' && !hasCategories(body)) {
    throw new Problem(422, "The 'categories' field is missing", 'lines.categories');
  }
  if (method === 'directdebit' && body.sequenceType !== 'recurring') {
    throw new Problem(422, 'The payment method is not activated on your account', 'method');
  }
}
