/** The prefix and the end of an id. The part between them is the time, which is similar in recent ids. */
export function shortId(id: string): string {
  return `${id.slice(0, id.indexOf('_') + 1)}…${id.slice(-8)}`;
}
