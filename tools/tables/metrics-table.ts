import { assemble } from '@florin/server/app/assemble.ts';
import { readSettings } from '@florin/server/app/config/settings.ts';
import { requestMetrics } from '@florin/server/app/http/request-metrics.ts';
import { workersOf } from '@florin/server/app/workers.ts';
import { systemClock } from '@florin/server/core/clock.ts';
import { freshKeyring, parseKeyring } from '@florin/server/platform/crypto/keyring.ts';
import { Metrics } from '@florin/server/platform/metrics/metrics.ts';
import { Lifecycle } from '@florin/server/platform/process/lifecycle.ts';
import { openLog } from '@florin/server/platform/process/log.ts';
import { table } from './markdown-table.ts';

interface DeclaredMetric {
  kind: 'counter' | 'histogram' | 'gauge';
  name: string;
  help: string;
  labels: string[];
}

/** A table of the metrics that a node declares, by name. */
export function metricsTable(): string {
  return table(
    ['Metric', 'Kind', 'Labels', 'Meaning'],
    declaredMetrics
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .map(({ name, kind, labels, help }) => [
        `\`${name}\``,
        kind,
        labels.map((label) => `\`${label}\``).join(', ') || '–',
        help,
      ]),
  );
}

/** The methods of `Metrics` that declare one, and what they declare. */
const kinds: Readonly<Record<string, DeclaredMetric['kind']>> = {
  counter: 'counter',
  collectedCounter: 'counter',
  histogram: 'histogram',
  gauge: 'gauge',
};

/** What a node declares, without the metrics of Node.js. */
export const declaredMetrics = await readDeclared();

/** Assembles a node that connects to nothing and records which metrics it declares. */
async function readDeclared(): Promise<DeclaredMetric[]> {
  const found: DeclaredMetric[] = [];
  const prototype = Metrics.prototype as unknown as Record<string, (...words: unknown[]) => unknown>;
  const originals = Object.fromEntries(Object.keys(kinds).map((method) => [method, prototype[method]]));
  for (const [method, original] of Object.entries(originals)) {
    prototype[method] = function (this: Metrics, ...words: unknown[]) {
      const labels = words.slice(2).findLast(isLabels) ?? [];
      found.push({
        kind: kinds[method] as DeclaredMetric['kind'],
        name: String(words[0]),
        help: String(words[1]),
        labels,
      });
      return original?.apply(this, words);
    };
  }
  const lifecycle = new Lifecycle(() => {});
  const keyring = parseKeyring(freshKeyring());
  const nowhere = { host: '127.0.0.1', port: 1 };
  try {
    const app = assemble(
      { connection: nowhere, direct: nowhere, replica: nowhere, isOursAlone: true },
      { jwtKeys: keyring, encryptionKeys: keyring },
      { settings: readSettings({}, undefined), log: openLog('silent'), clock: systemClock, lifecycle },
    );
    workersOf(app);
    requestMetrics(app.metrics);
  } finally {
    await lifecycle.stop();
    Object.assign(prototype, originals);
  }
  return found;
}

function isLabels(word: unknown): word is string[] {
  return Array.isArray(word) && word.length > 0 && word.every((one) => typeof one === 'string');
}
