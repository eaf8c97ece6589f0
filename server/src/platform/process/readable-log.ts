import { printable, printableJson, printableLines } from '../../../../sdk/src/printable.ts';

/** One line of the JSON log as a person reads it: `09:30:00.500 info  POST /api/user/login 200`. */
export function readableLine(line: string): string {
  const entry = parsedEntry(line);
  if (entry === undefined) return printableLines(line);
  const { time, level, msg, error, ...facts } = entry;
  const head = [String(time).slice(11, 23), String(level).padEnd(5), msg].join(' ');
  const tail = Object.entries(facts).map(([name, value]) => ` ${name}=${plain(value)}`);
  return `${printable(head + tail.join(''))}${printableLines(errorText(error))}`;
}

function parsedEntry(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const plain = (value: unknown) => (typeof value === 'string' && !/\s/.test(value) ? value : printableJson(value));

function errorText(error: unknown): string {
  if (error === undefined) return '';
  const { stack, message } = error as { stack?: string; message?: string };
  return `\n    ${(stack ?? message ?? JSON.stringify(error)).replaceAll('\n', '\n    ')}`;
}
