import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Provider } from './provider.ts';

/** Receives a callback of the sandbox for a channel. */
export type DeliverCallback = (channelId: number, headers: Record<string, string>, body: Buffer) => Promise<void>;

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
  /** Delivers a callback to the channel it is for, as if it had come over HTTP. */
  deliverCallback: DeliverCallback;
  /** How often one that works by itself looks for work, where something else wakes it. */
  pollMs?: () => number;
  /** Told when something that no call waits for cannot be done. */
  onError: (error: unknown) => void;
}

type Maker = (surroundings: ConnectorSurroundings) => Promise<Provider>;

/** Every provider a channel can name. Loaded at its first use: a service without Stripe does not carry its library. */
const makers = {
  sandbox: async (surroundings) => new (await import('./sandbox/sandbox.ts')).Sandbox(surroundings),
  stripe: async ({ urls, clock }) => new (await import('./stripe/stripe.ts')).StripeProvider(urls.stripe, clock),
  mollie: async ({ urls }) => new (await import('./mollie/mollie.ts')).MollieProvider(urls.mollie),
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
export class Providers {
  readonly #surroundings: ConnectorSurroundings;
  readonly #made = new Map<ProviderName, Promise<Provider>>();

  #deliverCallback: DeliverCallback = () => Promise.reject(new Error('Nothing receives callbacks yet.'));

  constructor(surroundings: Omit<ConnectorSurroundings, 'deliverCallback'>) {
    this.#surroundings = { ...surroundings, deliverCallback: (...callback) => this.#deliverCallback(...callback) };
  }

  /** Callbacks of the sandbox go there from now on. */
  deliverCallbacksTo(deliver: DeliverCallback): void {
    this.#deliverCallback = deliver;
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
