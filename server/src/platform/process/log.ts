import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { escapeUnprintable } from '../../../../sdk/src/printable.ts';
import { readableLine } from './readable-log.ts';

export type Log = Logger;

/**
 * Logs one JSON object per line to standard error, as text if that is a terminal, or where a test reads it; standard
 * output is for the welcome.
 * Secrets are redacted, and what would act on a terminal that shows the log is escaped. Writes synchronously, so that
 * the last lines of a process are not lost.
 */
export function openLog(level: string, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    hooks: { streamWrite: escapeUnprintable },
    serializers: { error: (error) => factsOf(error), cause: (cause) => factsOf(cause) },
  };
  return pino(options, destination ?? standardError());
}

/** In characters. Lines that cannot be written wait until they can, up to so many; further ones are lost. */
const maximumUnwritten = 1024 * 1024;

/** The service goes on when its log cannot be written. */
function standardError(): DestinationStream {
  if (process.stderr.isTTY) return { write: (line) => process.stderr.write(`${readableLine(line.trimEnd())}\n`) };
  const destination = pino.destination({ fd: 2, sync: true, maxLength: maximumUnwritten });
  destination.on('error', () => {});
  return destination;
}

const secrets = [
  'authorization',
  'password',
  'newPassword',
  'oldPassword',
  'secret',
  'sk',
  'accessToken',
  'refreshToken',
  'token',
  'apiKey',
  'apiSecret',
  'webhookSecret',
];

/** Message, code, stack and cause of an error, without its other properties: a driver's error references its client. */
function factsOf(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const { code, constraint } = error as Error & Record<string, unknown>;
  return {
    name,
    message,
    code,
    constraint,
    stack,
    ...(cause !== undefined && depth < 3 && { cause: factsOf(cause, depth + 1) }),
  };
}
