import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  FlorinError,
  IdempotencyError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ValidationError,
} from '../../sdk/src/index.ts';
import { printable } from '../../sdk/src/printable.ts';

/** Exit codes of commands. They are stable; docs/guides/command-line.md explains them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  authentication: 3,
  notFound: 4,
  conflict: 5,
  unavailable: 6,
  interrupted: 130,
} as const;

/** A failure with its own message and exit code. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const usageFailure = (message: string) => new CommandFailure(message, exitCodes.usage);

export const notLoggedIn = (url: string) =>
  new CommandFailure(
    `You are not logged in to ${url}. florin login lets you approve this program in the browser, ` +
      'florin login --account NAME asks for a password; or set FLORIN_API_KEY to a developer key.',
    exitCodes.authentication,
  );

const codesByClass: readonly (readonly [typeof FlorinError, number])[] = [
  [ValidationError, exitCodes.usage],
  [AuthenticationError, exitCodes.authentication],
  [PermissionError, exitCodes.authentication],
  [NotFoundError, exitCodes.notFound],
  [ConflictError, exitCodes.conflict],
  [IdempotencyError, exitCodes.conflict],
  [RateLimitError, exitCodes.unavailable],
  [ConnectionError, exitCodes.unavailable],
];

/** Commands that use the database directly get refusals of the server's code. */
const codesByKind: Readonly<Record<string, number>> = {
  invalid: exitCodes.usage,
  absent: exitCodes.notFound,
  conflict: exitCodes.conflict,
  unavailable: exitCodes.unavailable,
};

/**
 * The kind of a refusal, recognized by name instead of class, so that commands that use the API do not load the server.
 */
function kindOf(error: unknown): string | undefined {
  const { name, kind } = (error ?? {}) as { name?: string; kind?: string };
  return name === 'Refusal' ? kind : undefined;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  const kind = kindOf(error);
  if (kind !== undefined) return codesByKind[kind] ?? exitCodes.failed;
  if (!(error instanceof FlorinError)) return exitCodes.failed;
  const known = codesByClass.find(([type]) => error instanceof type);
  return known?.[1] ?? (error.status === 503 ? exitCodes.unavailable : exitCodes.failed);
}

/** The failure in one line, with a hint where there is one. */
export const lineOf = (error: unknown): string => printable(sentenceOf(error));

function sentenceOf(error: unknown): string {
  if (!(error instanceof FlorinError)) return error instanceof Error ? error.message : String(error);
  const facts = [error.type, error.requestId === undefined ? '' : `request ${error.requestId}`]
    .filter(Boolean)
    .join(', ');
  const hint =
    error instanceof AuthenticationError && error.message.includes('Bearer access token')
      ? ' Log in with florin login --account NAME.'
      : error instanceof AuthenticationError
        ? ' Log in with florin login, or set FLORIN_API_KEY.'
        : /certificate|SSL|TLS/i.test(error.message)
          ? ' Is this the right address? NODE_EXTRA_CA_CERTS names a file with further certificates to trust.'
          : error instanceof ConnectionError && error.type !== 'wait_ended'
            ? ' Is the service running there? florin start starts one; --url or FLORIN_URL names another.'
            : '';
  return `${error.message} (${facts})${hint}`;
}
