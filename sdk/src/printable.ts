/** Control characters, which can move the cursor of a terminal, and marks that reverse or hide text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g;

/** Text from elsewhere as one line that is safe to print in a terminal. */
export const printable = (text: string): string => text.replaceAll(unprintable, ' ');

/** JSON that is safe to print: `JSON.stringify` leaves some of these characters as they are. The values are the same. */
export function printableJson(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replaceAll(unprintable, (found) =>
    [...found].map((one) => (one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)).join(''),
  );
}
