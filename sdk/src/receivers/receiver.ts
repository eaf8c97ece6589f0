import { SignatureError } from '../errors.ts';
import { type FlorinEvent, type VerifyOptions, verifyWebhook, type WebhookHeaders } from '../webhooks.ts';

export interface ReceiverOptions extends VerifyOptions {
  /** The secret of the endpoint, or both while it is being changed. */
  secret: string | readonly string[];
  /**
   * Called with each genuine event. The answer is 200 when it resolves, and 500 when it rejects, so that Florin sends
   * the event again. An event can arrive more than once, always with the same `id`.
   */
  onEvent: (event: FlorinEvent) => unknown;
  /** Called with each error that is answered with 400 or 500. Default: `console.error` for those with 500. */
  onError?: (error: unknown) => void;
}

export interface ReceiverAnswer {
  status: number;
  body: { received: boolean; error?: string };
}

/** Verifies a webhook, calls `onEvent`, and returns what to answer. */
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
    // 500 for mistakes of this program.
    const status = /^(receiver|body|secret)_/.test(type) ? 500 : 400;
    if (onError) onError(error);
    else if (status > 400) console.error(error);
    return { status, body: { received: false, error: type } };
  }
}
