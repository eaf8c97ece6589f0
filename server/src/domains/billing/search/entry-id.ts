/** The id of an entry about a record that has a number: its last digits. */
export function entryIdOf(number: number): string {
  const hex = number.toString(16).padStart(32, '0');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function numberOfEntry(id: string): number {
  return Number.parseInt(id.replaceAll('-', ''), 16);
}
