/** The tokens of a login. */
export interface Tokens {
  accessToken: string;
  refreshToken?: string | undefined;
}

/** What the requests of a client carry: a developer key, or the tokens of a login. */
export class Credentials {
  private readonly apiKey: string | undefined;
  private readonly onTokens: ((tokens: Tokens) => void) | undefined;
  private tokens: Tokens | undefined;
  private refreshing: Promise<void> | undefined;

  constructor(apiKey: string | undefined, tokens: Tokens | undefined, onTokens?: (tokens: Tokens) => void) {
    this.apiKey = apiKey;
    this.tokens = tokens;
    this.onTokens = onTokens;
  }

  get authorization(): string | undefined {
    if (this.tokens !== undefined) return `Bearer ${this.tokens.accessToken}`;
    return this.apiKey === undefined ? undefined : `ApiKey ${this.apiKey}`;
  }

  get refreshToken(): string | undefined {
    return this.tokens?.refreshToken;
  }

  use(tokens: Tokens): void {
    this.tokens = tokens;
    this.onTokens?.(tokens);
  }

  /** Uses other tokens of the same session, if there are any. */
  replace(tokens: Tokens | undefined): void {
    if (tokens !== undefined) this.use({ accessToken: tokens.accessToken, refreshToken: tokens.refreshToken });
  }

  forget(): void {
    this.tokens = undefined;
  }

  /** Refreshes once for all requests that were refused with the same token. */
  refresh(used: string, fetchTokens: (refreshToken: string) => Promise<Tokens>): Promise<void> {
    const refreshToken = this.refreshToken;
    if (refreshToken === undefined || used !== this.authorization) return Promise.resolve();
    this.refreshing ??= fetchTokens(refreshToken)
      .then((tokens) => this.use({ refreshToken, ...tokens }))
      .finally(() => {
        this.refreshing = undefined;
      });
    return this.refreshing;
  }
}
