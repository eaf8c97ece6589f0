import type { Command } from 'commander';
import { Florin } from '../../sdk/src/index.ts';
import { usageFailure } from './failures.ts';
import { Output } from './output.ts';
import { loginFile, Stored, type StoredLogin } from './stored.ts';
import type { Surroundings } from './surroundings.ts';

/** Options that every command takes. */
export interface GlobalOptions {
  url?: string;
  apiKey?: string;
  json?: boolean;
  live?: boolean;
}

const defaultUrl = 'http://127.0.0.1:8080';

/** What a command works with. */
export class Cli {
  readonly surroundings: Surroundings;
  readonly stored: Stored;
  readonly out: Output;
  private readonly options: GlobalOptions;
  private client: Florin | undefined;

  constructor(surroundings: Surroundings, options: GlobalOptions) {
    this.surroundings = surroundings;
    this.options = options;
    this.stored = new Stored(surroundings);
    this.out = new Output(surroundings, options.json === true);
  }

  get signal(): AbortSignal {
    return this.surroundings.signal;
  }

  /** Options win over the environment, and that over what `florin login` stored. */
  get url(): string {
    const url = this.options.url ?? (this.surroundings.env.FLORIN_URL || undefined) ?? this.login?.url ?? defaultUrl;
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
    throw usageFailure(`${url} is not an address of a service, such as ${defaultUrl}.`);
  }

  /** Made at first use: commands without it need no credentials. */
  get florin(): Florin {
    this.client ??= this.clientFor(this.apiKey, this.apiKey === undefined ? this.login : undefined);
    return this.client;
  }

  clientFor(apiKey: string | undefined, login: StoredLogin | undefined): Florin {
    const { url } = this;
    return new Florin({
      baseUrl: url,
      // Undefined would let the SDK look into the environment of the process.
      apiKey: apiKey ?? login?.apiKey ?? (login === undefined ? '' : undefined),
      accessToken: login?.accessToken,
      refreshToken: login?.refreshToken,
      onTokens: (tokens) => this.stored.write(loginFile, { url, ...tokens }),
    });
  }

  /** The key of --api-key. */
  get givenApiKey(): string | undefined {
    return this.options.apiKey;
  }

  /** The mode of what is listed and followed: test records unless --live. A key has a mode of its own. */
  get mode(): { livemode?: boolean } {
    if (this.options.live === true) return { livemode: true };
    const isSession = this.apiKey === undefined && this.login?.accessToken !== undefined;
    return isSession ? { livemode: false } : {};
  }

  private get apiKey(): string | undefined {
    return this.options.apiKey ?? (this.surroundings.env.FLORIN_API_KEY || undefined);
  }

  /** Credentials are for the service that they were given by, so another --url does not get them. */
  private get login(): StoredLogin | undefined {
    const stored = this.stored.read<StoredLogin>(loginFile);
    const asked = this.options.url ?? (this.surroundings.env.FLORIN_URL || undefined);
    return stored === undefined || asked === undefined || trimmed(asked) === trimmed(stored.url) ? stored : undefined;
  }
}

const trimmed = (url: string) => url.replace(/\/+$/, '');

/** Adds commands to the program. `run` makes an action of commander from one that gets a `Cli`. */
export type AddCommands = (program: Command, run: Run) => void;
export type Run = <Args extends unknown[]>(
  action: (cli: Cli, ...args: Args) => Promise<void>,
) => (...args: [...Args, Command]) => Promise<void>;
