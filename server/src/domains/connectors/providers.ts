import type { Queryable } from '../../platform/postgres/database.ts';
import type { Clock } from '../../vocabulary/clock.ts';
import { Refusal } from '../../vocabulary/errors.ts';
import type { Connector } from './connector.ts';

/** What a connector may need to be made. */
export interface ConnectorSurroundings {
  /** For a connector that keeps something of its own (the sandbox does). */
  database: Queryable;
  clock: Clock;
  /** Whether there is a sandbox: `app.sandbox.enabled`. */
  sandboxEnabled: boolean;
  /** Where browsers reach Florin, without a slash at the end (`app.public-url`): the sandbox has a page for the payer. */
  publicUrl: string;
  /** Where a provider is reached instead of its own address, by name: a simulator (`app.provider.stripe.url`, …). */
  urls: Readonly<Record<string, string | undefined>>;
  /** Gives a callback to the channel it is for, as if it had come over HTTP. */
  deliverCallback: (channelId: number, headers: Record<string, string>, body: Buffer) => Promise<void>;
  /** How often one that works by itself looks for work, where something else wakes it. */
  pollMs?: () => number;
  /** Told when something that no call waits for cannot be done. */
  onTrouble: (error: unknown) => void;
}

type Maker = (surroundings: ConnectorSurroundings) => Promise<Connector>;

/** Every provider a channel can name. Loaded at its first use: a service without Stripe does not carry its library. */
const makers = {
  sandbox: async (surroundings) => new (await import('./sandbox/sandbox.ts')).Sandbox(surroundings),
  stripe: async ({ urls, clock }) => new (await import('./stripe/stripe.ts')).StripeConnector(urls.stripe, clock),
  mollie: async ({ urls }) => new (await import('./mollie/mollie.ts')).MollieConnector(urls.mollie),
} satisfies Record<string, Maker>;

export type ProviderName = keyof typeof makers;
export const providerNames = Object.keys(makers) as ProviderName[];

export function sandboxDisabled(field?: string): Refusal {
  return new Refusal(
    'sandbox_disabled',
    'The sandbox is disabled here: in CLUSTER mode it needs the setting app.sandbox.enabled.',
    field === undefined ? {} : { field },
  );
}

/** The connectors of a node, each made when it is first asked for. */
export class Connectors {
  readonly #surroundings: ConnectorSurroundings;
  readonly #made = new Map<ProviderName, Promise<Connector>>();

  constructor(surroundings: ConnectorSurroundings) {
    this.#surroundings = surroundings;
  }

  /** The connector, if it has been asked for. */
  made<Name extends ProviderName>(provider: Name): ReturnType<(typeof makers)[Name]> | undefined {
    return this.#made.get(provider) as ReturnType<(typeof makers)[Name]> | undefined;
  }

  of<Name extends ProviderName>(provider: Name): ReturnType<(typeof makers)[Name]> {
    if (provider === 'sandbox' && !this.#surroundings.sandboxEnabled) return Promise.reject(sandboxDisabled()) as never;
    const made = this.#made.get(provider) ?? makers[provider](this.#surroundings);
    this.#made.set(provider, made);
    return made as ReturnType<(typeof makers)[Name]>;
  }
}
