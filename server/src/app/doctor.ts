import { run } from './doctor/doctor.ts';

process.exitCode = await run(process.argv.slice(2));
