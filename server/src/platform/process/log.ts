import pino, { type Logger, type LoggerOptions } from 'pino';

export type Log = Logger;

/**
 * One JSON object a line, to standard error: standard output is for what a person reads at the start. What could be a
 * secret is blotted out wherever it stands. Written at once, so that the last words of a process are not lost.
 */
export function openLog(level: string): Log {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    serializers: { error: (error) => factsOf(error), cause: (cause) => factsOf(cause) },
  };
  return pino(options, pino.destination({ fd: 2, sync: true }));
}

const secrets = [
  'authorization',
  'password',
  'newPassword',
  'secret',
  'sk',
  'accessToken',
  'refreshToken',
  'token',
  'apiKey',
  'apiSecret',
  'webhookSecret',
];

/** What an error says, and what caused it; not what hangs on it: a driver's error carries its whole client. */
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
