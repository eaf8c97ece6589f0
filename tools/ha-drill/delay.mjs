// Stands before PostgreSQL on a machine of the drill and passes everything on later: PORT, TO-PORT, ADDRESS, MS.
import { connect, createServer } from 'node:net';

const [port, toPort, address, ms] = process.argv.slice(2);

createServer((near) => {
  const far = connect(Number(toPort), address);
  for (const [from, to] of [
    [near, far],
    [far, near],
  ]) {
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), Number(ms)));
    from.on('error', () => {});
    from.on('close', () => setTimeout(() => to.destroy(), Number(ms)));
  }
}).listen(Number(port), address);
