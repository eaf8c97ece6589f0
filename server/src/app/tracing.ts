import type { Log } from '../platform/process/log.ts';
import { type OpenTracing, openTracing, TracingNotInstalled } from '../platform/tracing/open-tracing.ts';
import { version } from './cli/version.ts';
import { type Settings, SettingsError } from './config/settings.ts';

/** Loads the SDK of OpenTelemetry if payments are to be traced. Each process of a node sends its own spans. */
export async function tracingOf(settings: Settings, log: Log): Promise<OpenTracing | undefined> {
  const endpoint = settings['app.tracing.endpoint'];
  if (endpoint === undefined) return undefined;
  const samplePercent = settings['app.tracing.sample-percent'];
  const onFailure = (reason: string) => log.warn({ reason }, 'Traces could not be sent');
  try {
    return await openTracing({ endpoint, samplePercent, version, onFailure });
  } catch (error) {
    throw error instanceof TracingNotInstalled ? new SettingsError(error.message) : error;
  }
}
