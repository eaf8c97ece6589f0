/**
 * Array parameters as PostgreSQL's own text form. The driver would look at every element's type and quote each one;
 * on the hot path we know what we have (measured: a third of the time spent on a batch in this process).
 */

/** Numbers, UUIDs and words without commas, quotes or braces: nothing to quote. */
export function plainArray(values: readonly (string | number | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) text += `${i === 0 ? '' : ','}${values[i] ?? 'NULL'}`;
  return `${text}}`;
}

/** Any text. */
export function textArray(values: readonly (string | null)[]): string {
  let text = '{';
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (i > 0) text += ',';
    if (value === null || value === undefined) text += 'NULL';
    else text += `"${value.replace(/["\\]/g, '\\$&')}"`;
  }
  return `${text}}`;
}
