import { writeFileSync } from 'node:fs';
import { declaredOpenApi } from '../server/src/app/openapi/document.ts';

/** `npm run openapi -- FILE [URL]`: writes the OpenAPI document for generators, without starting a node. */
const [file, publicUrl] = process.argv.slice(2);
if (file === undefined) {
  console.error('Usage: npm run openapi -- FILE [URL of the service]');
  process.exitCode = 1;
} else {
  writeFileSync(file, `${JSON.stringify(declaredOpenApi(publicUrl), undefined, 2)}\n`);
}
