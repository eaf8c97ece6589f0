import { Credentials, type Tokens } from './credentials.ts';
import { FlorinError } from './errors.ts';
import type { LoginResult, TransactionDetail } from './generated/api.ts';
import { Call, type GivenHeaders, type Params, type RequestOptions, type WriteOptions } from './operation.ts';
import { OperationsClient } from './operations-client.ts';
import { type Logger, Transport } from './transport.ts';
import { type WaitOptions, waitFor } from './wait-for.ts';
import { signForTest, verifyWebhook } from './webhooks.ts';

export interface FlorinOptions {
  /** A developer key, `sk_…`. Default: the environment variable FLORIN_API_KEY. */
  apiKey?: string | undefined;
  /** The access token of a login, for operations that keys may not use. See also `login`. */
  accessToken?: string | undefined;
  /** Replaces an expired access token by a new one. */
  refreshToken?: string | undefined;
  /** Called with the tokens of each login and refresh, to store them. */
  onTokens?: ((tokens: Tokens) => void) | undefined;
  /** The address of the service. Default: the environment variable FLORIN_URL, or http://127.0.0.1:8080. */
  baseUrl?: string | undefined;
  /** Per try, in milliseconds. Default: 30,000. */
  timeoutMs?: number | undefined;
  /** How often a request is retried after a transient failure. Default: 2. */
  maxRetries?: number | undefined;
  /** Default: the `fetch` of the runtime. */
  fetch?: typeof fetch | undefined;
  /** Receives a line for each request and each retry, never with credentials or bodies. */
  logger?: Logger | undefined;
  /** Sent with every request. */
  headers?: GivenHeaders | undefined;
}

export interface LoginInput {
  account: string;
  password: string;
  /** Called when the account has a second factor: returns the code of the authenticator app. */
  code?: () => string | Promise<string>;
}

export interface TransactionHelpers {
  /**
   * Waits until a payment is decided, and returns it whatever the decision is. Rejects with a `TimeoutError` when that
   * takes longer than `waitMs`, or when the payment can no longer reach the awaited status.
   */
  waitFor(id: string, options?: WaitOptions): Promise<TransactionDetail>;
}

/** A client of Florin. It holds no connections and needs no closing. */
export class Florin extends OperationsClient {
  private readonly credentials: Credentials;

  constructor(options: FlorinOptions = {}) {
    const { accessToken, refreshToken, onTokens, logger, headers = {}, timeoutMs = 30_000, maxRetries = 2 } = options;
    const apiKey = options.apiKey ?? (accessToken === undefined ? environment('FLORIN_API_KEY') : undefined);
    const baseUrl = options.baseUrl ?? environment('FLORIN_URL') ?? 'http://127.0.0.1:8080';
    const credentials = new Credentials(
      apiKey,
      accessToken === undefined ? undefined : { accessToken, refreshToken },
      onTokens,
    );
    const transport = new Transport(
      {
        baseUrl: baseUrl.replace(/\/+$/, ''),
        timeoutMs,
        maxRetries,
        // Called as a plain function: in some runtimes fetch fails as a method of another object.
        fetch: options.fetch ?? ((input, init) => fetch(input, init)),
        logger,
        headers,
      },
      credentials,
    );
    super(transport);
    this.credentials = credentials;
    Object.assign(this.webhooks, { verify: verifyWebhook, signForTest });
    Object.assign(this.transactions, {
      waitFor: (id: string, options: WaitOptions = {}) => waitFor((own) => this.transactions.get(id, own), options),
    });
  }

  /** Logs in. Later requests carry the access token, which is refreshed when it expires. */
  async login({ account, password, code }: LoginInput, options?: RequestOptions): Promise<LoginResult> {
    const login = this.users.login({ account, password }, options);
    const result = await (code === undefined ? login : login.catch((error) => this.finishLogin(error, code, options)));
    this.credentials.use(result.token);
    return result;
  }

  /** Ends the session of `login`, or of the given access token. */
  async logout(options?: RequestOptions): Promise<void> {
    await this.users.logout({}, options);
    this.credentials.forget();
  }

  /**
   * Sends a request to any path of the service, also to one that this version of the SDK does not know. `params` are
   * the query of a GET and the JSON body of a POST. Resolves to the response if its status is 2xx, else rejects like
   * every method; a POST is repeated only with an `idempotencyKey`.
   */
  request(method: 'GET' | 'POST', path: string, params: Params = {}, options: WriteOptions = {}): Call<Response> {
    const flags = options.idempotencyKey === undefined ? 'd' : 'dk';
    return new Call(this.transport.send<Response>([method, path, flags], params, options));
  }

  private async finishLogin(
    error: unknown,
    code: () => string | Promise<string>,
    options: RequestOptions | undefined,
  ): Promise<LoginResult> {
    if (!(error instanceof FlorinError) || error.type !== 'second_factor_challenge') throw error;
    const challenge = String(error.details.challenge);
    return this.users.loginSecondFactor({ challenge, code: await code() }, options);
  }
}

/** In runtimes that have environment variables. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
