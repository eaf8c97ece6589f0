import { SignatureError } from '../errors.ts';
import { type FlorinEvent, type VerifyOptions, verifyWebhook, type WebhookHeaders } from '../webhooks.ts';

export interface ReceiverOptions extends VerifyOptions {
  /** The secret of the endpoint, or several while it is being changed. */
  secret: string | readonly string[];
  /**
   * Called with each genuine event. It is answered 200 when this resolves and 500 when it rejects: Florin then sends it
   * again. An event can arrive more than once, always with the same `id`.
   */
  onEvent: (event: FlorinEvent) => unknown;
  /** Called with each error that is answered with 400 or 500, for a log. */
  onError?: (error: unknown) => void;
}

export interface ReceiverAnswer {
  status: number;
  body: { received: boolean; error?: string };
}

/** Verifies a webhook, passes its event on, and says what to answer. */
export async function receive(
  rawBody: unknown,
  headers: WebhookHeaders,
  { secret, onEvent, onError, ...options }: ReceiverOptions,
): Promise<ReceiverAnswer> {
  try {
    await onEvent(await verifyWebhook(rawBody as string, headers, secret, options));
    return { status: 200, body: { received: true } };
  } catch (error) {
    onError?.(error);
    if (!(error instanceof SignatureError)) return { status: 500, body: { received: false, error: 'receiver_failed' } };
    // A parser in front of the receiver is a mistake of this program, which Florin's retries may outlive.
    const status = error.type === 'body_not_raw' || error.type === 'secret_missing' ? 500 : 400;
    if (status === 500 && onError === undefined) console.error(error.message);
    return { status, body: { received: false, error: error.type } };
  }
}
