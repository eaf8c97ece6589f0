import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { chart, helm } from './places.ts';
import type { Manifest } from './schemas.ts';

/** Files of values, for every way to use the chart. */
export const valuesFiles = globSync('ci/*.yaml', { cwd: chart }).sort();

export interface HelmResult {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Without a cluster, helm takes its own version for that of Kubernetes. */
const kubernetes = ['--kube-version', '1.37.0'];

const rendered = new Map<string, HelmResult>();

/** `helm template`. Run once for the same words: it takes 0.2 s of a processor. */
export function template(file: string, ...words: readonly string[]): HelmResult {
  const given = ['--name-template', 'florin', '--namespace', 'payments', '-f', join(chart, file), ...words];
  const key = JSON.stringify(given);
  const result = rendered.get(key) ?? runHelm('template', chart, ...kubernetes, ...given);
  rendered.set(key, result);
  return result;
}

export const lint = (file: string) => runHelm('lint', '--strict', ...kubernetes, chart, '-f', join(chart, file));

/** What the chart renders. */
export function render(file: string, ...words: readonly string[]): Manifest[] {
  const { status, stdout, stderr } = template(file, ...words);
  if (status !== 0) throw new Error(stderr);
  return manifestsIn(stdout);
}

export function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    const manifest = document.toJS() as Manifest | null;
    return manifest === null ? [] : [manifest];
  });
}

export function runHelm(...words: readonly string[]): HelmResult {
  const env = {
    ...process.env,
    HELM_CACHE_HOME: '/nonexistent',
    HELM_CONFIG_HOME: '/nonexistent',
    KUBECONFIG: '/nonexistent',
  };
  return spawnSync(helm, words, { encoding: 'utf8', env, maxBuffer: 2 ** 26 });
}

/** The pods of a manifest: of itself, or of its template. */
export function podOf({
  kind,
  metadata,
  spec,
}: Manifest): { labels: Record<string, string>; spec: Manifest } | undefined {
  if (kind === 'Pod') return { labels: metadata.labels, spec };
  return spec?.template?.spec === undefined
    ? undefined
    : { labels: spec.template.metadata.labels, spec: spec.template.spec };
}
