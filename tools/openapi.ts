import { writeFileSync } from 'node:fs';
import { declaredOpenApi } from '@florin/server/app/openapi/document.ts';
import { answerHelp } from './usage.ts';

/** `npm run openapi -- FILE [URL]`: writes the OpenAPI document for generators, without starting a node. */
const usage = `Usage: npm run openapi -- FILE [URL of the service]

Writes the OpenAPI document into the file, without starting a node.
`;
answerHelp(usage, { takesWords: true });

const [file, publicUrl] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  writeFileSync(file, `${JSON.stringify(declaredOpenApi(publicUrl), undefined, 2)}\n`);
}
