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

/** The codes of Node's certificate checks (its TLS documentation, X509 certificate error codes). */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH)/;

/** undici cuts a connection itself over a `100 Continue` that nobody asked for, and over another protocol to go on in. */
const unaskedAnswer = /^bad (response|upgrade)$/;

/** What an error of the connection means. */
export function outcomeOfError(error: unknown): AttemptOutcome {
  const { code: given, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  const code = String(given ?? '');
  if (code === 'UND_ERR_SOCKET' && unaskedAnswer.test(String(message))) return 'protocol';
  const known = outcomesOfCodes[code];
  if (known !== undefined) return known;
  if (code.startsWith('EAI_')) return 'dns';
  return tlsCode.test(code) ? 'tls' : 'protocol';
}
