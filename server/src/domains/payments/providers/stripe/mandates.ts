import type { Consent } from '../kept-method.ts';

/** How the payer agreed to later debits (https://docs.stripe.com/api/payment_intents/confirm). */
export function mandateData({ ipAddress, userAgent, acceptedTime }: Consent) {
  return {
    customer_acceptance: {
      type: 'online' as const,
      accepted_at: Math.floor(Date.parse(acceptedTime) / 1_000),
      online: { ip_address: ipAddress, user_agent: userAgent },
    },
  };
}
