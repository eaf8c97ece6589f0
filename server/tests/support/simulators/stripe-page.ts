import type { SimulatedSession } from './stripe-records.ts';
import { offeredOn } from './stripe-sessions.ts';

/** The hosted page of a Checkout Session, for tests and people: choose a method, pay, or give up. */
export function sessionPage(session: SimulatedSession): string {
  const { amount_total, cancel_url, currency, id, mode, status } = session;
  if (status !== 'open') return document(`<p>This page is ${status}.</p>`);
  const title = mode === 'payment' ? `Pay ${amount_total} ${currency?.toUpperCase()}` : 'Save a payment method';
  const options = offeredOn(session)
    .map(([token, label]) => `<option value="${token}">${label}</option>`)
    .join('');
  return document(`
    <h1>${title}</h1>
    <form method="post" action="/c/pay/${id}">
      <label>Method <select name="method">${options}</select></label>
      <button>${mode === 'payment' ? 'Pay' : 'Save'}</button>
    </form>
    ${cancel_url === null ? '' : `<a href="${escaped(cancel_url)}">Back to the shop</a>`}`);
}

function document(body: string): string {
  return `<!doctype html><html lang="en"><title>Stripe, simulated</title><body>${body}</body></html>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
