import { run } from './backup/backup.ts';

process.exitCode = await run(process.argv.slice(2));
