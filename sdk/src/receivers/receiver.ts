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
  /** Called with each error that is answered with 400 or 500, for a log. Default: those of 500 go to `console.error`. */
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
    const type = error instanceof SignatureError ? error.type : 'receiver_failed';
    // Mistakes of this program.
    const status = /^(receiver|body|secret)_/.test(type) ? 500 : 400;
    if (onError) onError(error);
    else if (status > 400) console.error(error);
    return { status, body: { received: false, error: type } };
  }
}
