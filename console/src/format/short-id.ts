/** The kind and the end of an id: its first part tells the time alone, so that those of a minute begin alike. */
export function shortId(id: string): string {
  return `${id.slice(0, id.indexOf('_') + 1)}…${id.slice(-8)}`;
}
