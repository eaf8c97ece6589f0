import type { ReplyFacts } from '../../platform/http/server/steps.ts';
import { type Metrics, requestSecondsBuckets } from '../../platform/metrics/metrics.ts';

/** Observes how long replies took, by method, declared path and status. */
export function requestMetrics(metrics: Metrics): (reply: ReplyFacts) => void {
  const requests = metrics.histogram(
    'florin_http_request_seconds',
    'Time to answer a request.',
    requestSecondsBuckets,
    ['method', 'path', 'status'],
  );
  // Cached because the library hashes the labels at every lookup.
  const series = new Map<string, { observe: (seconds: number) => void }>();
  return ({ method, path, status, durationMs }) => {
    const key = `${method} ${path} ${status}`;
    let found = series.get(key);
    if (found === undefined) {
      found = requests.labels(method, path, String(status));
      series.set(key, found);
    }
    found.observe(durationMs / 1000);
  };
}
