import { run } from './backup/rehearse.ts';

process.exitCode = await run(process.argv.slice(2));
