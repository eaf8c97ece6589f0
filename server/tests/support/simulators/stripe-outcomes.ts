import type { SimulatedMethod } from './stripe-records.ts';
import { declinesWithOwnCode, snakeCase } from './stripe-rules.ts';

export interface Declined {
  code: string;
  declineCode: string | undefined;
  message: string;
}

/** What Stripe does with a method that it takes: https://docs.stripe.com/testing. */
export type Attempt = { is: 'declined'; why: Declined } | { is: 'payer' } | { is: 'done' };

/** An attempt to charge a method, or to set it up. */
export function attemptOf(
  method: SimulatedMethod,
  { isSetup, isOffSession, nowSeconds }: { isSetup: boolean; isOffSession: boolean; nowSeconds: number },
): Attempt {
  const { token } = method;
  const declined = /^pm_card_(?:visa_)?chargeDeclined(\w*)$/.exec(token);
  if (declined !== null) return declinedFor(snakeCase(declined[1] as string) || 'generic_decline');
  if (method.type === 'card' && isExpired(method, nowSeconds)) return declinedFor('expired_card');
  if (token === 'pm_card_chargeCustomerFail' && !isSetup) return declinedFor('generic_decline');
  const isRemembered = /OnSetup|SetupForOffSession/.test(token) && method.isAuthenticated;
  const needsPayer = /threeDSecure|authenticationRequired/.test(token) && !isRemembered;
  if (!needsPayer) return { is: 'done' };
  if (!isOffSession) return { is: 'payer' };
  const code = 'authentication_required';
  const message = 'Your card was declined. This transaction requires authentication.';
  return { is: 'declined', why: { code, declineCode: code, message } };
}

function declinedFor(reason: string): Attempt {
  const code = declinesWithOwnCode.includes(reason) ? reason : 'card_declined';
  return { is: 'declined', why: { code, declineCode: reason, message: 'Your card was declined.' } };
}

/** A card is good until its month is over. */
function isExpired({ facts }: SimulatedMethod, nowSeconds: number): boolean {
  const { exp_month: month, exp_year: year } = facts as { exp_month: number; exp_year: number };
  return nowSeconds * 1_000 >= Date.UTC(year, month);
}

/** The error of a declined attempt. */
export function declineError({ code, declineCode, message }: Declined, method: object): Record<string, unknown> {
  return {
    type: 'card_error',
    code,
    ...(declineCode && { decline_code: declineCode }),
    doc_url: `https://docs.stripe.com/error-codes#${code}`,
    message,
    payment_method: method,
  };
}
