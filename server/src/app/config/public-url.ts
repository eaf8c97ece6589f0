import type { Settings } from './settings.ts';

/** The address under which browsers and providers reach this service, used in links and callbacks. */
export function publicUrlOf(settings: Settings): string {
  return settings['app.public-url'] ?? `http://${hostOf(settings)}:${settings['app.server.port']}`;
}

/** The path of that address, which every path that is given out begins with: `/florin`, or empty. */
export function basePathOf(settings: Settings): string {
  return new URL(publicUrlOf(settings)).pathname.replace(/\/$/, '');
}

/** The listening host as it is written in a URL; a wildcard address becomes localhost. */
export function hostOf({ 'app.server.host': host }: Settings): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
