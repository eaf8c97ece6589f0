import { readFileSync } from 'node:fs';
import { environmentName, settings } from '@florin/server/app/config/settings.ts';
import type { SettingDeclaration } from '@florin/server/platform/settings/declare.ts';

/** The schema of the values of the chart. */
export const valuesSchema = 'deploy/helm/values.schema.json';

/** What the chart sets itself, or what makes no sense in it. */
const ofChart = [
  'app.server.port',
  'app.server.trust-proxy',
  'app.data-dir',
  'app.public-url',
  'app.processes',
  'app.role',
  'app.deployment-mode',
  'app.drill.fail-point',
];

const declared = Object.entries<SettingDeclaration>(settings);

/** Settings that belong into a Secret, by their names in the environment. */
export const secretSettings = declared.filter(([, { secret }]) => secret).map(([name]) => environmentName(name));

/** The schema with the settings that values may give. Helm refuses all others. */
export function valuesSchemaFile(root: string): string {
  const schema = JSON.parse(readFileSync(`${root}/${valuesSchema}`, 'utf8'));
  const accepted = declared.filter(([name, { secret }]) => !(secret || ofChart.includes(name)));
  schema.properties.settings = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      accepted.map(([name, { description }]) => [environmentName(name), { type: 'string', description }]),
    ),
  };
  // Short lists on one line, as the formatter has them.
  const text = JSON.stringify(schema, null, 2).replaceAll(
    /\[\n\s+([^[\]{}]*?)\n\s+\]/g,
    (_all, items: string) => `[${items.replaceAll(/,\n\s+/g, ', ')}]`,
  );
  return `${text}\n`;
}
