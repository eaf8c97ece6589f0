import type { Command } from 'commander';
import { Florin } from '../../sdk/src/index.ts';
import { ConfigFolder, loginFile, type StoredLogin } from './config-folder.ts';
import { notLoggedIn, usageFailure } from './failures.ts';
import { Output } from './output.ts';
import type { System } from './system.ts';

/** The options of every command. */
export interface GlobalOptions {
  url?: string;
  apiKey?: string;
  json?: boolean;
  live?: boolean;
}

const defaultUrl = 'http://127.0.0.1:8080';

/** What a command works with. */
export class Cli {
  readonly system: System;
  readonly config: ConfigFolder;
  readonly out: Output;
  private readonly options: GlobalOptions;
  private client: Florin | undefined;

  constructor(system: System, options: GlobalOptions) {
    this.system = system;
    this.options = options;
    this.config = new ConfigFolder(system);
    this.out = new Output(system, options.json === true);
  }

  get signal(): AbortSignal {
    return this.system.signal;
  }

  /** Options take precedence over the environment, and the environment over what `florin login` stored. */
  get url(): string {
    const url = this.options.url ?? (this.system.env.FLORIN_URL || undefined) ?? this.login?.url ?? defaultUrl;
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return url;
    throw usageFailure(`${url} is not an address of a service, such as ${defaultUrl}.`);
  }

  /** Created at first use, because some commands need no credentials. */
  get florin(): Florin {
    if (this.client === undefined) {
      if (this.apiKey === undefined && this.login === undefined) throw notLoggedIn(this.url);
      if (this.options.apiKey === undefined && this.login !== undefined) this.noteOverride();
      this.client = this.clientFor(this.apiKey, this.apiKey === undefined ? this.login : undefined);
    }
    return this.client;
  }

  /** Stores a login for the next commands. */
  store(login: StoredLogin): void {
    this.config.write(loginFile, login);
    this.noteOverride();
  }

  /** Says when the environment hides the stored login. */
  noteOverride(): void {
    if (this.system.env.FLORIN_API_KEY) {
      this.out.note('FLORIN_API_KEY is set and is used instead of the stored login.');
    }
  }

  clientFor(apiKey: string | undefined, login: StoredLogin | undefined): Florin {
    const { url } = this;
    return new Florin({
      baseUrl: url,
      // With undefined, the SDK would read the environment of the process.
      apiKey: apiKey ?? login?.apiKey ?? (login === undefined ? '' : undefined),
      accessToken: login?.accessToken,
      refreshToken: login?.refreshToken,
      onTokens: (tokens) => this.config.write(loginFile, { url, ...tokens }),
    });
  }

  /** The key of --api-key. */
  get givenApiKey(): string | undefined {
    return this.options.apiKey;
  }

  /** The mode of what is listed and followed: test records unless --live is given. A key has its own mode. */
  get mode(): { livemode?: boolean } {
    if (this.options.live === true) return { livemode: true };
    const isSession = this.apiKey === undefined && this.login?.accessToken !== undefined;
    return isSession ? { livemode: false } : {};
  }

  private get apiKey(): string | undefined {
    return this.options.apiKey ?? (this.system.env.FLORIN_API_KEY || undefined);
  }

  /** Credentials are sent only to the service that issued them, not to another --url. */
  get login(): StoredLogin | undefined {
    const stored = this.config.read<StoredLogin>(loginFile);
    const asked = this.options.url ?? (this.system.env.FLORIN_URL || undefined);
    return stored === undefined || asked === undefined || trimmed(asked) === trimmed(stored.url) ? stored : undefined;
  }
}

const trimmed = (url: string) => url.replace(/\/+$/, '');

/** Adds commands to the program. `run` turns a function that takes a `Cli` into an action of commander. */
export type AddCommands = (program: Command, run: Run) => void;
export type Run = <Args extends unknown[]>(
  action: (cli: Cli, ...args: Args) => Promise<void>,
) => (...args: [...Args, Command]) => Promise<void>;
