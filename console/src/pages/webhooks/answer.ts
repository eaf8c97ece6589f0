import type { Text } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';

/** How an endpoint answered: `HTTP 500`, or in words why there was no answer. */
export function answerOf(status: number | null, outcome: string | null, text: Text): string {
  return status === null ? text(`answer.${outcome ?? 'none'}` as TextKey) : `HTTP ${status}`;
}
