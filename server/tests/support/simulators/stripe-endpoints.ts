import { randomId } from './stripe-rules.ts';

/** A webhook endpoint as Stripe answers it (https://docs.stripe.com/api/webhook_endpoints/object). */
export interface SimulatedEndpoint {
  id: string;
  object: 'webhook_endpoint';
  created: number;
  enabled_events: string[];
  status: 'enabled' | 'disabled';
  url: string;
  [member: string]: unknown;
}

export function newEndpoint(facts: Partial<SimulatedEndpoint>): SimulatedEndpoint {
  return {
    id: `we_${randomId()}`,
    object: 'webhook_endpoint',
    api_version: null,
    application: null,
    created: 0,
    description: null,
    enabled_events: [],
    livemode: false,
    metadata: {},
    status: 'enabled',
    url: '',
    ...facts,
  };
}
