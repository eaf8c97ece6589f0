/** Characters that some systems forbid in file names, and those that hide or reorder text. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** The longest seller's name in a file name, in characters: file systems allow 255 bytes in all. */
const longestSeller = 50;

/** The name of an invoice's file: the seller and the number, or the id of a draft, which has no number. */
export function fileNameOf(seller: string, invoice: { id: number; number: string | null }): string {
  const name = [...seller.replace(unsafe, ' ').replace(/\s+/g, ' ').trim()].slice(0, longestSeller).join('').trim();
  const parts = [name, invoice.number ?? `draft-${invoice.id}`].filter((part) => part !== '');
  return `${parts.join(' ')}.pdf`;
}

/**
 * A `Content-Disposition` header that saves the response under this name (RFC 6266): in UTF-8, encoded by RFC 8187, and
 * for old clients in ASCII, with `_` for every other character.
 */
export function attachmentNamed(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
