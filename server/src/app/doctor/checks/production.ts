import { publicUrlOf } from '../../config/public-url.ts';
import type { Settings } from '../../config/settings.ts';
import type { Skipped } from '../check.ts';

/** A cluster is in production, and so is a single machine that others reach: its address is not a loopback one. */
export function isInProduction(settings: Settings): boolean {
  return settings['app.deployment-mode'] === 'CLUSTER' || !isLoopback(new URL(publicUrlOf(settings)).hostname);
}

export const notInProduction: Skipped = {
  skipped: 'only this machine reaches Florin; set APP_PUBLIC_URL where others do',
};

const isLoopback = (host: string) => /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);
