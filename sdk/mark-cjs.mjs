// The package is of ES modules; these files are CommonJS.
import { writeFileSync } from 'node:fs';

writeFileSync('dist/cjs/package.json', '{ "type": "commonjs" }\n');
