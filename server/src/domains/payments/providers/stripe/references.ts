/** Another object in one of Stripe's: its id, or itself where it is expanded. Documents let answers leave it out. */
export type Reference = string | { id: string } | null | undefined;

/** The id of a referenced object; undefined if there is none. */
export function idIn(reference: Reference): string | undefined {
  return typeof reference === 'object' ? reference?.id : reference;
}
