import { run } from './backup/restore.ts';

process.exitCode = await run(process.argv.slice(2));
