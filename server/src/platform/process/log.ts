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
    serializers: { error: pino.stdSerializers.err, cause: pino.stdSerializers.err },
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
