/** The largest picture, in bytes: in base64 it fits into a request of 64 KiB. */
export const maximumImageBytes = 40 * 1024;

export interface Image {
  type: 'image/png' | 'image/jpeg';
  bytes: Buffer;
}

const signatures: readonly (readonly [type: Image['type'], first: Buffer, last: Buffer])[] = [
  ['image/png', Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from('49454e44ae426082', 'hex')],
  ['image/jpeg', Buffer.from('ffd8ff', 'hex'), Buffer.from('ffd9', 'hex')],
];

/**
 * The picture in a `data:` URL or in base64; null if it is none or too large. The type follows from the first and last
 * bytes of the file, not from its declared type. SVG is refused, because it can contain scripts.
 */
export function imageOf(text: string): Image | null {
  const encoded = text.replace(/^data:image\/(?:png|jpeg);base64,/, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return null;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > maximumImageBytes) return null;
  const found = signatures.find(
    ([, first, last]) => bytes.subarray(0, first.length).equals(first) && bytes.subarray(-last.length).equals(last),
  );
  return found === undefined ? null : { type: found[0], bytes };
}
