/** The address of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** The headings of a page by the number of their line, each with its anchor; a repeated one gets a number. */
export function headingsOf(lines: readonly string[]): ReadonlyMap<number, string> {
  const counts = new Map<string, number>();
  const found = new Map<number, string>();
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, heading] = (!isCode && /^#+ (.+)$/.exec(line)) || [];
    if (heading === undefined) continue;
    const plain = anchorOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', ''));
    const count = counts.get(plain) ?? 0;
    counts.set(plain, count + 1);
    found.set(index, count === 0 ? plain : `${plain}-${count}`);
  }
  return found;
}
