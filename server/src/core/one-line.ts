/**
 * Characters that a text of one line must not have: control characters, line and paragraph separators, and those that
 * change the direction of what follows (Unicode, Bidi_Control). With them a name could write lines of its own into a
 * mail or a log, or be displayed as another one. Escaped, because the pattern is published and compiled in other
 * languages.
 */
const forbidden = '\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';

/** Matches texts of one line. */
export const oneLinePattern = `^[^${forbidden}]*$`;

const runs = new RegExp(`[${forbidden}]+`, 'g');

/** A text as one line. Names that were stored before they were checked may have more. */
export function asOneLine(text: string): string {
  return text.replace(runs, ' ').trim();
}
