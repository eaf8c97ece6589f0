import type { Settings } from './settings.ts';

/** How the world reaches this service: links, payers and providers come back here. */
export function publicUrlOf(settings: Settings): string {
  return settings['app.public-url'] ?? `http://${hostOf(settings)}:${settings['app.server.port']}`;
}

/** A host one can go to: listening everywhere includes this machine. */
export function hostOf({ 'app.server.host': host }: Settings): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
