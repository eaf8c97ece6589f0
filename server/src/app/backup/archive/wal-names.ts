/** Names and positions of PostgreSQL's write-ahead log, as its documentation defines them. */

/** A file of the log: which timeline it belongs to, and which of its segments it is. */
export interface Segment {
  timeline: number;
  number: number;
}

const segmentForm = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/;
const historyForm = /^([0-9A-F]{8})\.history$/;
/** The last eight digits of a name count up to here before the middle ones are increased. */
const bytesOfMiddle = 0x1_0000_0000;

export function segmentName({ timeline, number }: Segment, segmentBytes: number): string {
  const perMiddle = bytesOfMiddle / segmentBytes;
  return [timeline, Math.floor(number / perMiddle), number % perMiddle].map(eightDigits).join('');
}

/** undefined: the file is no segment. */
export function parseSegmentName(name: string, segmentBytes: number): Segment | undefined {
  const match = segmentForm.exec(name);
  if (match === null) return undefined;
  const [timeline = 0, middle = 0, last = 0] = match.slice(1).map((digits) => Number.parseInt(digits, 16));
  return { timeline, number: middle * (bytesOfMiddle / segmentBytes) + last };
}

export const historyName = (timeline: number) => `${eightDigits(timeline)}.history`;

/** undefined: the file is no history of a timeline. */
export function timelineOfHistory(name: string): number | undefined {
  const match = historyForm.exec(name);
  return match === null ? undefined : Number.parseInt(match[1] as string, 16);
}

/** The number of the segment that contains a position such as `0/16B3748`. */
export const segmentOf = (lsn: string, segmentBytes: number) => Number(positionOf(lsn) / BigInt(segmentBytes));

/** The position at which a segment begins. */
export function startOf(number: number, segmentBytes: number): string {
  const position = BigInt(number) * BigInt(segmentBytes);
  return `${(position >> 32n).toString(16)}/${(position & 0xffff_ffffn).toString(16)}`.toUpperCase();
}

/** A position as a number of bytes. */
export function positionOf(lsn: string): bigint {
  const [high, low] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** Where a timeline left the one before it. */
export interface Switch {
  from: number;
  at: string;
}

/** Each line of a history names a former timeline, the position at which it was left, and why. */
export function parseHistory(text: string): Switch[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/i.exec(line);
    return match === null ? [] : [{ from: Number(match[1]), at: match[2] as string }];
  });
}

const eightDigits = (value: number) => value.toString(16).toUpperCase().padStart(8, '0');
