import type { SettingsOf } from '../../platform/settings/declare.ts';
import type { IdentityApp } from '../identity/app.ts';
import type { settings as deliverySettings } from './deliveries/settings.ts';
import type { AddressGuards } from './endpoints/address-guard.ts';
import type { EndpointDirectory } from './endpoints/directory.ts';
import type { settings as endpointSettings } from './endpoints/settings.ts';
import type { FanOut } from './events/fan-out.ts';
import type { EventStreams } from './stream/event-streams.ts';

/** The settings of these modules. */
export interface WebhooksSettings extends SettingsOf<typeof endpointSettings>, SettingsOf<typeof deliverySettings> {}

/** What the handlers, workers and sweeps of the webhooks modules use: also all that identity has. */
export interface WebhooksApp extends IdentityApp {
  settings: IdentityApp['settings'] & WebhooksSettings;
  fanOut: FanOut;
  guards: AddressGuards;
  endpoints: EndpointDirectory;
  eventStreams: EventStreams;
  /** Of one tenant: `app.webhook.max-endpoints`. */
  maxEndpoints: number;
  /** `app.webhook.keep-deliveries` in ms: for older events it is unknown whether they were delivered. */
  keepDeliveriesMs: number | undefined;
}
