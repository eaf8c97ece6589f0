import type { Params } from './stripe-params.ts';

export interface SimulatedIntent {
  id: string;
  object: 'payment_intent';
  amount: number;
  amount_received: number;
  currency: string;
  livemode: boolean;
  status: string;
  client_secret: string;
  created: number;
  description: string | null;
  metadata: Record<string, string>;
  payment_method: string | null;
  return_url: string | null;
  latest_charge: string | null;
  last_payment_error: Record<string, unknown> | null;
  next_action: Record<string, unknown> | null;
  cancellation_reason: string | null;
  capture_method: string;
}

/** Money taken: the simulator's own record, which tests compare with Florin's. */
export interface SimulatedCharge {
  id: string;
  object: 'charge';
  payment_intent: string;
  livemode: boolean;
  amount: number;
  amount_refunded: number;
  currency: string;
  florinKey: string | undefined;
}

export interface SimulatedRefund {
  id: string;
  object: 'refund';
  amount: number;
  currency: string;
  charge: string;
  payment_intent: string;
  status: 'succeeded' | 'pending' | 'failed' | 'canceled' | 'requires_action';
  failure_reason?: string;
  metadata: Record<string, string>;
  created: number;
}

export type Listed = SimulatedIntent | SimulatedRefund;

export interface SimulatedEvent {
  id: string;
  object: 'event';
  type: string;
  livemode: boolean;
  created: number;
  data: { object: unknown };
}

export interface StripeRequest {
  method: string;
  path: string;
  key: string | undefined;
  params: Params;
}

export interface SignedCallback {
  headers: { 'content-type': string; 'stripe-signature': string };
  body: Buffer;
}
