import { forbiddenAddressCode } from '../../endpoints/address-guard.ts';
import type { AttemptOutcome } from '../rules.ts';

const outcomesOfCodes: Record<string, AttemptOutcome> = {
  [forbiddenAddressCode]: 'forbidden_address',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_DESTROYED: 'reset',
  UND_ERR_ABORTED: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  ENOTFOUND: 'dns',
  ENODATA: 'dns',
  ESERVFAIL: 'dns',
  EPROTO: 'tls',
  HOSTNAME_MISMATCH: 'tls',
};

/** Codes of Node's certificate checks (Node.js documentation, TLS, X509 certificate error codes). */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)/;

/** undici closes the connection on an answer to no request, and on an unsolicited `101 Switching Protocols`. */
const unsolicitedAnswer = /^bad (response|upgrade)$/;

/** The outcome of an attempt whose connection failed with this error. */
export function outcomeOfError(error: unknown): AttemptOutcome {
  const { code: rawCode, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const code = String(rawCode ?? '');
  if (code === 'UND_ERR_SOCKET' && unsolicitedAnswer.test(String(message))) return 'protocol';
  const known = outcomesOfCodes[code];
  if (known !== undefined) return known;
  if (code.startsWith('EAI_')) return 'dns';
  return tlsCode.test(code) ? 'tls' : 'protocol';
}
