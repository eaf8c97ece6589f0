// A receiver to try webhooks with: `npm run receiver -- whsec_DemonstrationSecret1 9999` prints every delivery and
// whether its signature verifies. It shows all that your own receiver has to do.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { printable } from '../../sdk/src/printable.ts';

const usage = `Usage: npm run receiver [-- secret [port]]

Prints the webhooks that arrive at http://127.0.0.1:9999/, and whether their signatures verify with whsec_DemonstrationSecret1.
`;
const [secret = 'whsec_DemonstrationSecret1', port = '9999', ...more] = process.argv.slice(2);
if (secret === '--help' || secret === '-h') {
  process.stdout.write(usage);
  process.exit(0);
}
if (secret.startsWith('--') || !(Number(port) >= 0 && Number(port) <= 65_535) || more.length > 0) {
  process.stderr.write(`These are not a secret and a port: ${process.argv.slice(2).join(' ')}\n\n${usage}`);
  process.exit(2);
}

async function receive(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks); // The raw bytes: parse only after verifying.
  const given = Buffer.from(String(request.headers['x-service-signature'] ?? ''));
  const expected = Buffer.from(createHmac('sha256', secret).update(body).digest('hex'));
  const genuine = given.length === expected.length && timingSafeEqual(given, expected);
  response.writeHead(genuine ? 200 : 401).end();
  console.log(printable(`${request.headers['x-service-event']} ${request.headers['x-service-delivery']}`));
  console.log(`signature ${genuine ? 'verified' : 'WRONG'}`);
  console.log(printable(body.toString('utf8')));
}

// A sender that goes away in the middle of its message is not an error of the receiver.
createServer((request, response) => {
  receive(request, response).catch(() => response.destroy());
})
  .on('error', ({ message }) => {
    process.stderr.write(
      `The receiver cannot listen: ${message}. Give it another port: npm run receiver -- ${secret} 9998\n`,
    );
    process.exit(1);
  })
  .listen(Number(port), '127.0.0.1', () => console.log(`Waiting for webhooks at http://127.0.0.1:${port}/`));
