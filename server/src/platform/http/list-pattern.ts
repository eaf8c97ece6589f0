/** The pattern of a text that lists some of these names, separated by commas and, if wanted, spaces. */
export function listPattern(names: readonly string[]): string {
  const name = `(?:${names.map((one) => one.replace('*', '\\*')).join('|')})`;
  return `^ *${name}(?: *, *${name})* *$`;
}
