import type { Clock } from '../../../core/clock.ts';
import { Refusal } from '../../../core/errors.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { Provider } from './provider.ts';

/** Receives a callback of the sandbox for a channel. Rejects if the callback is not accepted. */
export type DeliverCallback = (channelId: number, headers: Record<string, string>, body: Buffer) => Promise<void>;

/** What providers are constructed with. */
export interface ProviderContext {
  /** Stores the records of the sandbox; no other provider stores anything. */
  database: Queryable;
  clock: Clock;
  /** `app.sandbox.enabled`. */
  sandboxEnabled: boolean;
  /** `app.sandbox.delay`. */
  sandboxDelayMs: number;
  /** `app.public-url`, without a slash at the end: the sandbox has a page for the payer below it. */
  publicUrl: string;
  /** By provider: the address of a simulator or proxy instead of the provider's own (`app.provider.stripe.url`, …). */
  urls: Readonly<Record<string, string | undefined>>;
}

type ProviderFactory = (context: ProviderContext) => Promise<Provider>;

/**
 * Every provider that a channel can name. Imported at first use: a service without Stripe never loads Stripe's library.
 */
const factories = {
  sandbox: async (context) => new (await import('./sandbox/sandbox.ts')).Sandbox(context),
  stripe: async ({ urls, clock }) => new (await import('./stripe/stripe.ts')).StripeProvider(urls.stripe, clock),
  mollie: async ({ urls, clock }) => new (await import('./mollie/mollie.ts')).MollieProvider(urls.mollie, clock),
} satisfies Record<string, ProviderFactory>;

export type ProviderName = keyof typeof factories;
export const providerNames = Object.keys(factories) as ProviderName[];

/**
 * Providers that send no events when a payment method ends or changes: Florin reads their methods from time to time.
 */
export const providersWithoutMethodEvents: ReadonlySet<ProviderName> = new Set<ProviderName>(['mollie']);

/**
 * Providers that announce each debit to its payer themselves: Stripe by e-mail, unless that is switched off in its
 * dashboard.
 */
export const providersAnnouncingDebits: ReadonlySet<ProviderName> = new Set<ProviderName>(['stripe']);

/** The providers of a node, each constructed at its first use. */
export class Providers {
  readonly #context: ProviderContext;
  readonly #loaded = new Map<ProviderName, Promise<Provider>>();

  /** Receives the sandbox's callbacks. */
  deliverCallback: DeliverCallback = () => Promise.reject(new Error('No receiver of callbacks is registered yet.'));

  constructor(context: ProviderContext) {
    this.#context = context;
  }

  /** Rejects with the refusal `sandbox_disabled` if the sandbox is disabled. */
  of<Name extends ProviderName>(provider: Name): ReturnType<(typeof factories)[Name]> {
    if (provider === 'sandbox' && !this.#context.sandboxEnabled) return Promise.reject(sandboxDisabled()) as never;
    const loaded = this.#loaded.get(provider) ?? factories[provider](this.#context);
    this.#loaded.set(provider, loaded);
    return loaded as ReturnType<(typeof factories)[Name]>;
  }

  /** The provider if it has been used; never loads it. */
  loaded<Name extends ProviderName>(provider: Name): ReturnType<(typeof factories)[Name]> | undefined {
    return this.#loaded.get(provider) as ReturnType<(typeof factories)[Name]> | undefined;
  }
}

export function sandboxDisabled(field?: string): Refusal {
  return new Refusal(
    'sandbox_disabled',
    'The sandbox is disabled here: in CLUSTER mode it needs the setting app.sandbox.enabled.',
    field === undefined ? {} : { field },
  );
}
