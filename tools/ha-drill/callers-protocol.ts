/** What the drill and its callers, two programs, say to each other. */
export interface CallersOptions {
  serviceAddress: string;
  serviceName: string;
  /** The file with the certificate that the callers trust. */
  ca: string;
  /** Of the administrator. */
  password: string;
  /** Where webhooks are received. */
  receiver: { address: string; port: number };
}

export type Command =
  | { do: 'prepare' }
  | { do: 'start'; name: string }
  | { do: 'progress' }
  | { do: 'stop' }
  | { do: 'received' };

export interface Answer {
  acknowledged?: number;
  sinceLastMs?: number;
  result?: LoadResult;
  /** The ids of payments whose webhook came, and of those whose webhooks were not all equal. */
  received?: string[];
  changed?: string[];
}

export interface LoadResult {
  name: string;
  /** Payments that were sent, each until it was acknowledged. */
  sent: number;
  /** Idempotency-Key and id of each acknowledged payment. */
  acknowledged: [key: string, id: string][];
  /** Answers other than 200 by status, and connections that broke or timed out by code. */
  errors: Record<string, number>;
  /** The longest time in which no payment was acknowledged. */
  longestGapMs: number;
  /** The longest time in which no payment was acknowledged and none refused with 503 either. */
  longestSilenceMs: number;
  lastedMs: number;
}
