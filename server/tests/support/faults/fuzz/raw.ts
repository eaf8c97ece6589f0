import { connect } from 'node:net';
import fc from 'fast-check';

/** Bytes that are written to a connection. `cut`: it is closed before the answer. */
export interface RawExchange {
  name: string;
  bytes: string;
  cut: boolean;
}

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const longest = 60_000;

/** Requests that no client library would send: broken HTTP, broken JSON, and connections that end early. */
export function rawExchanges(authorization: string): fc.Arbitrary<RawExchange> {
  const path = fc.constantFrom('/api/transaction/create', '/api/user/login', '/api/channel/modify', '/api/callback/1');
  const headers = `Host: localhost\r\nAuthorization: ${authorization}\r\nContent-Type: application/json\r\n`;
  const post = (target: string, body: string, more = '') =>
    `POST ${target} HTTP/1.1\r\n${headers}${more}Content-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`;

  const bodies: fc.Arbitrary<[string, string]> = fc.oneof(
    fc.integer({ min: 1, max: longest / 2 }).map((levels): [string, string] => ['deep JSON', deep(levels)]),
    fc.integer({ min: 1, max: 5_000 }).map((levels): [string, string] => ['unclosed JSON', '{"a":'.repeat(levels)]),
    fc.constantFrom<[string, string]>(
      ['NUL', '{"currency":"US\0"}'],
      ['escaped NUL', '{"account":"\\u0000","password":"\\u0000"}'],
      ['lone surrogates', '{"account":"\\ud800","password":"\\udfff\\ud800"}'],
      ['invalid UTF-8', '{"account":"\xff\xfe\xc3\x28","password":"\xed\xa0\x80"}'],
      ['byte order mark', '\xef\xbb\xbf{}'],
      ['huge number', `{"amount":${'9'.repeat(400)},"currency":"USD","channelId":1e999}`],
      ['tiny number', `{"amount":1e-${'9'.repeat(20)},"currency":"USD","channelId":-0}`],
      ['long fraction', `{"amount":0.${'1'.repeat(20_000)}}`],
      ['duplicate keys', '{"amount":1,"amount":2,"amount":3,"currency":"USD","channelId":1}'],
      ['prototype', '{"__proto__":{"amount":1},"constructor":{"prototype":{}},"amount":1}'],
      ['many keys', `{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":1`).join()}}`],
      ['nothing', ''],
      ['spaces', ' '.repeat(longest)],
      ['two values', '{}{}'],
    ),
    fc.string({ unit: 'binary', maxLength: 200 }).map((text): [string, string] => ['any bytes', text]),
  );

  const withBody = fc
    .tuple(path, bodies)
    .map(([target, [name, body]]) => ({ name, bytes: post(target, body), cut: false }));
  const cutOff = fc
    .tuple(path, bodies, fc.double({ min: 0, max: 0.99, noNaN: true }))
    .map(([target, [name, body], share]) => {
      const whole = post(target, body || '{}');
      return { name: `cut off: ${name}`, bytes: whole.slice(0, Math.floor(whole.length * share)), cut: true };
    });
  const broken = fc.tuple(path, fc.constantFrom(...brokenRequests(headers))).map(([target, [name, bytes]]) => ({
    name,
    bytes: bytes.replaceAll('{path}', target),
    cut: false,
  }));
  const garbled = fc
    .tuple(path, fc.nat({ max: 200 }), fc.string({ unit: 'binary', minLength: 1, maxLength: 5 }))
    .map(([target, at, inserted]) => {
      const whole = post(target, '{}');
      return { name: 'garbled', bytes: whole.slice(0, at) + inserted + whole.slice(at + 1), cut: false };
    });
  const line = fc
    .string({ unit: 'binary', maxLength: 300 })
    .map((text) => ({ name: 'any target', bytes: `GET /${text} HTTP/1.1\r\n${headers}\r\n`, cut: false }));
  return fc.oneof(withBody, cutOff, broken, garbled, line);
}

function brokenRequests(headers: string): [string, string][] {
  const request = (more: string, body = '') => `POST {path} HTTP/1.1\r\n${headers}${more}\r\n${body}`;
  return [
    ['no Host', 'GET {path} HTTP/1.1\r\n\r\n'],
    ['two Hosts', `GET {path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`],
    ['HTTP/0.9', 'GET {path}\r\n\r\n'],
    ['HTTP/1.0', 'GET {path} HTTP/1.0\r\n\r\n'],
    ['HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['HTTP/9.9', `GET {path} HTTP/9.9\r\n${headers}\r\n`],
    ['unknown method', `BREW {path} HTTP/1.1\r\n${headers}\r\n`],
    ['CONNECT', `CONNECT localhost:443 HTTP/1.1\r\n${headers}\r\n`],
    ['OPTIONS *', `OPTIONS * HTTP/1.1\r\n${headers}\r\n`],
    ['absolute target', `GET http://localhost{path} HTTP/1.1\r\n${headers}\r\n`],
    ['target without slash', `GET api HTTP/1.1\r\n${headers}\r\n`],
    ['broken percent', `GET {path}%ZZ?id=%E0%A4%A HTTP/1.1\r\n${headers}\r\n`],
    ['percent NUL', `GET {path}%00?id=%00 HTTP/1.1\r\n${headers}\r\n`],
    ['dots', `GET /docs/static/../../../../etc/passwd HTTP/1.1\r\n${headers}\r\n`],
    ['long target', `GET {path}?${'a'.repeat(14_000)} HTTP/1.1\r\n${headers}\r\n`],
    ['too long a target', `GET {path}?${'a'.repeat(40_000)} HTTP/1.1\r\n${headers}\r\n`],
    ['too long a header', request(`X-Long: ${'a'.repeat(40_000)}\r\n`)],
    ['many headers', request(Array.from({ length: 1_500 }, (_, i) => `X-${i}: a\r\n`).join(''))],
    ['NUL in a header', request('X-Nul: a\0b\r\n')],
    ['header over two lines', request('X-Two: a\r\n b\r\n')],
    ['space before the colon', request('Content-Length : 2\r\n', '{}')],
    ['negative length', request('Content-Length: -1\r\n', '{}')],
    ['length not a number', request('Content-Length: two\r\n', '{}')],
    ['huge length', request('Content-Length: 99999999999999999999\r\n', '{}')],
    ['too large a body', request('Content-Length: 1000000\r\n', 'x')],
    ['two lengths', request('Content-Length: 2\r\nContent-Length: 3\r\n', '{}')],
    ['length and chunks', request('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
    ['broken chunk', request('Transfer-Encoding: chunked\r\n', 'ZZ\r\n{}\r\n0\r\n\r\n')],
    ['huge chunk', request('Transfer-Encoding: chunked\r\n', 'FFFFFFFFFFFFFFFFF\r\n{}\r\n')],
    ['unknown encoding', request('Transfer-Encoding: rot13\r\nContent-Length: 2\r\n', '{}')],
    ['chunks', request('Transfer-Encoding: chunked\r\n', '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n')],
    ['compressed', request('Content-Encoding: gzip\r\nContent-Length: 2\r\n', '{}')],
    ['expectation', request('Expect: 200-maybe\r\nContent-Length: 2\r\n', '{}')],
    ['upgrade', request('Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n', '{}')],
    ['two requests', `GET {path} HTTP/1.1\r\n${headers}\r\nGET {path} HTTP/1.1\r\n${headers}\r\n`],
    ['line feeds alone', `GET {path} HTTP/1.1\n${headers.replaceAll('\r\n', '\n')}\n`],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['nothing but line ends', '\r\n\r\n\r\n'],
  ];
}

/** How long the service may take to answer, or to close a connection whose request is not complete. */
const answersWithinMs = 5_000;
/** After an answer, the time without further bytes after which an open connection counts as idle. */
const idleMs = 100;

/** Sends the bytes and returns the answers, as far as they came; '' if there were none. */
export function exchangeRaw({ bytes, cut }: RawExchange, address: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve) => {
    let answer = '';
    let idle: NodeJS.Timeout | undefined;
    const socket = connect(Number(port), hostname);
    const end = () => {
      clearTimeout(idle);
      socket.destroy();
      resolve(answer);
    };
    socket.setEncoding('latin1');
    socket.setTimeout(answersWithinMs, end);
    socket.on('data', (chunk) => {
      answer += chunk;
      clearTimeout(idle);
      idle = setTimeout(end, idleMs);
    });
    socket.on('error', end);
    socket.on('close', end);
    socket.write(Buffer.from(bytes, 'latin1'), () => {
      if (cut) end();
    });
  });
}

/**
 * The fault of the answers to an exchange, if any. A missing answer is no fault, because the request may be incomplete.
 */
export function faultOfRaw(answer: string): string | undefined {
  if (answer === '') return undefined;
  const [, status, head = '', body = ''] =
    /^HTTP\/1\.1 (\d{3})[^\r]*\r\n([\s\S]*?)\r\n\r\n([\s\S]*)$/.exec(answer) ?? [];
  if (status === undefined) return `not HTTP: ${answer.slice(0, 200)}`;
  // 100 Continue: the answer follows.
  if (status === '100') return faultOfRaw(answer.slice(answer.indexOf('\r\n\r\n') + 4));
  if (Number(status) >= 500) return `a 5xx: ${answer.slice(0, 500)}`;
  if (Number(status) < 300) return undefined;
  if (!/^content-type: application\/json/im.test(head)) return `no envelope: ${answer.slice(0, 300)}`;
  return body.includes(`"code":${status},`) ? undefined : `code is not the status: ${answer.slice(0, 300)}`;
}
