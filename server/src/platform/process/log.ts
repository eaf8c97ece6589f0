import pino, { type Logger } from 'pino';

export type Log = Logger;

/** One JSON object a line, to standard output. What could be a secret is blotted out wherever it stands. */
export function openLog(level: string): Log {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    serializers: { error: pino.stdSerializers.err, cause: pino.stdSerializers.err },
  });
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
