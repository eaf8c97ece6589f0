import type { SimulatedPayment } from './mollie-records.ts';

/** The payer's choices on the page. Each is a form posted to the address of the page. */
export const payerChoices = ['pay', 'fail', 'cancel', 'expire'] as const;
export type PayerChoice = (typeof payerChoices)[number];

/** The simulated checkout page of Mollie. */
export function checkoutPage({ id, status, description, amount, redirectUrl }: SimulatedPayment): string {
  const buttons = payerChoices.map((choice) => `<button name="choice" value="${choice}">${choice}</button>`).join(' ');
  const body =
    status === 'open'
      ? `<form method="post">${buttons}</form>`
      : `<p>This payment is ${status}. <a href="${escaped(redirectUrl ?? '')}">Back to the shop</a></p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Simulated checkout</title>
<h1>${escaped(amount.currency)} ${escaped(amount.value)}</h1><p>${escaped(description)}</p><p><code>${id}</code></p>
${body}</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
