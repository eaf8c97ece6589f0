/** Control characters, which can move the cursor of a terminal, and marks that reverse or hide text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+/g;

/** Text from elsewhere as one line that is safe to print in a terminal. */
export const printable = (text: string): string => text.replaceAll(unprintable, ' ');

/** The same for a text of several lines, and with tabs. */
export const printableLines = (text: string): string =>
  text
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : printable(part)))
    .join('');

/**
 * JSON that is safe to print: `JSON.stringify` leaves some of these characters as they are. The values are the same.
 */
export const printableJson = (value: unknown, indent = 0): string =>
  escapeUnprintable(JSON.stringify(value, null, indent));

/** Escapes them in text that is JSON, where the escapes mean the same. Line ends between values stay. */
export const escapeUnprintable = (json: string): string =>
  json.replaceAll(unprintable, (found) =>
    [...found].map((one) => (one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)).join(''),
  );
