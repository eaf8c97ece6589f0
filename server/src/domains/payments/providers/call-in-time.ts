import type { Call } from './provider.ts';

export type UnknownOutcome = { kind: 'unknown'; cause: unknown };

/**
 * Calls a provider. The outcome is unknown at the deadline, even if the connector ignores its abort signal, and after
 * an exception of the connector.
 */
export async function callInTime<Answer>(
  { credentials, channelId, timeoutMs }: Omit<Call, 'signal'>,
  request: (context: Call) => Promise<Answer>,
): Promise<Answer | UnknownOutcome> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<UnknownOutcome>((resolve) => {
    timer = setTimeout(() => {
      const cause = new Error(`No answer within ${timeoutMs} ms.`);
      controller.abort(cause);
      resolve({ kind: 'unknown', cause });
    }, timeoutMs);
  });
  try {
    const { signal } = controller;
    return await Promise.race([request({ credentials, channelId, signal, timeoutMs }), timeout]);
  } catch (cause) {
    return { kind: 'unknown', cause };
  } finally {
    clearTimeout(timer);
  }
}
