import { pairOf } from './payments.ts';

/** The parameters of a request as words: `name=value`. A value that is not JSON is text. */
export function parametersOf(words: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    words.map((word) => {
      const [name, value] = pairOf(word);
      return [name, parsedValue(value)];
    }),
  );
}

export function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
