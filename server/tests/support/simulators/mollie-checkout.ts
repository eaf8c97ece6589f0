import { isOfferedFor, mandateMethodOf } from './mollie-orders.ts';
import type { SimulatedPayment } from './mollie-records.ts';

/** The payer's choices on the page. Each is a form posted to the address of the page. */
export const payerChoices = ['pay', 'fail', 'cancel', 'expire'] as const;
export type PayerChoice = (typeof payerChoices)[number];

/** Whether somebody can still say what becomes of a payment: its payer, or of a direct debit the payer's bank. */
export function isUndecided({ status, sequenceType }: SimulatedPayment): boolean {
  return status === 'open' || (status === 'pending' && sequenceType === 'recurring');
}

/**
 * The simulated checkout page of Mollie. For a recurring payment, which has none, it is the page on which a merchant
 * changes the state of test payments.
 */
export function checkoutPage(payment: SimulatedPayment): string {
  const { id, status, description, amount, redirectUrl } = payment;
  const buttons = payerChoices.map((choice) => `<button name="choice" value="${choice}">${choice}</button>`).join(' ');
  const back = redirectUrl === null ? '' : ` <a href="${escaped(redirectUrl)}">Back to the shop</a>`;
  const body = isUndecided(payment)
    ? `<form method="post">${methodChoice(payment)}<p>${buttons}</p></form>`
    : `<p>This payment is ${status}.${back}</p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Simulated checkout</title>
<h1>${escaped(amount.currency)} ${escaped(amount.value)}</h1><p>${escaped(description)}</p><p><code>${id}</code></p>
${body}</html>`;
}

/** The methods among which the payer chooses, unless the payment names one. */
function methodChoice(payment: SimulatedPayment): string {
  const { method, offered, sequenceType } = payment;
  if (method !== null) return `<p>${escaped(method)}</p>`;
  const first = Object.keys(mandateMethodOf);
  const all = sequenceType === 'first' ? first : [...first, 'banktransfer', 'klarna', 'alma', 'riverty', 'voucher'];
  const options = (offered ?? all)
    .filter((each) => isOfferedFor(payment, each))
    .map((each) => `<option>${escaped(each)}</option>`);
  return `<label>Method <select name="method">${options.join('')}</select></label>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
