import { environmentName } from '@florin/server/app/config/settings.ts';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { external, read, the, usual } from './manifests.ts';
import { isInstalled } from './places.ts';
import { render } from './render.ts';

describe.skipIf(!isInstalled())('metrics and alerts', () => {
  test('the alerts are those of deploy/prometheus, under the job that they expect', () => {
    const manifests = render(usual);
    expect(the(manifests, 'PrometheusRule').spec).toEqual(parse(read('deploy/prometheus/florin.rules.yml')));
    const monitor = the(manifests, 'ServiceMonitor');
    expect(the(manifests, 'Service').metadata.labels[monitor.spec.jobLabel]).toBe('florin');
    expect(monitor.metadata.labels.release).toBe('prometheus');
  });

  test('the token of the metrics comes from the existing Secret', () => {
    const [endpoint] = the(render(external), 'ServiceMonitor').spec.endpoints;
    expect(endpoint.authorization.credentials).toEqual({ name: 'florin', key: environmentName('app.metrics.token') });
  });
});
