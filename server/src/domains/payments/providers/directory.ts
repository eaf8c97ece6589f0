import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Provider } from './provider.ts';

/** Receives a callback of the sandbox for a channel. */
export type DeliverCallback = (channelId: number, headers: Record<string, string>, body: Buffer) => Promise<void>;

/** What a connector may need to be made. */
export interface ProviderContext {
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

type ProviderFactory = (surroundings: ProviderContext) => Promise<Provider>;

/** Every provider a channel can name. Loaded at its first use: a service without Stripe does not carry its library. */
const factories = {
  sandbox: async (surroundings) => new (await import('./sandbox/sandbox.ts')).Sandbox(surroundings),
  stripe: async ({ urls, clock }) => new (await import('./stripe/stripe.ts')).StripeProvider(urls.stripe, clock),
  mollie: async ({ urls }) => new (await import('./mollie/mollie.ts')).MollieProvider(urls.mollie),
} satisfies Record<string, ProviderFactory>;

export type ProviderName = keyof typeof factories;
export const providerNames = Object.keys(factories) as ProviderName[];

export function sandboxDisabled(field?: string): Refusal {
  return new Refusal(
    'sandbox_disabled',
    'The sandbox is disabled here: in CLUSTER mode it needs the setting app.sandbox.enabled.',
    field === undefined ? {} : { field },
  );
}

/** The connectors of a node, each made when it is first asked for. */
export class Providers {
  readonly #context: ProviderContext;
  readonly #loaded = new Map<ProviderName, Promise<Provider>>();

  #deliverCallback: DeliverCallback = () => Promise.reject(new Error('Nothing receives callbacks yet.'));

  constructor(surroundings: Omit<ProviderContext, 'deliverCallback'>) {
    this.#context = { ...surroundings, deliverCallback: (...callback) => this.#deliverCallback(...callback) };
  }

  /** Callbacks of the sandbox go there from now on. */
  deliverCallbacksTo(deliver: DeliverCallback): void {
    this.#deliverCallback = deliver;
  }

  /** The connector, if it has been asked for. */
  loaded<Name extends ProviderName>(provider: Name): ReturnType<(typeof factories)[Name]> | undefined {
    return this.#loaded.get(provider) as ReturnType<(typeof factories)[Name]> | undefined;
  }

  of<Name extends ProviderName>(provider: Name): ReturnType<(typeof factories)[Name]> {
    if (provider === 'sandbox' && !this.#context.sandboxEnabled) return Promise.reject(sandboxDisabled()) as never;
    const loaded = this.#loaded.get(provider) ?? factories[provider](this.#context);
    this.#loaded.set(provider, loaded);
    return loaded as ReturnType<(typeof factories)[Name]>;
  }
}
