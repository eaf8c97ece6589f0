import { expect, test } from 'vitest';
import { SessionCookie } from '../session-cookie.ts';

test('on https the cookie is Secure and bound to the host', () => {
  const cookie = new SessionCookie('https://pay.example');
  expect(cookie.name).toBe('__Host-florin');
  expect(cookie.set('value', 60)).toBe('__Host-florin=value; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure');
});

test('below a path its name has the path, so that services on one host keep their sessions apart', () => {
  const cookie = new SessionCookie('https://pay.example/shop/florin');
  expect(cookie.set('value', 60)).toMatch(/^__Host-florin-shop-florin=value; Max-Age=60; Path=\/; .*Secure$/);
  expect(new SessionCookie('http://127.0.0.1:8080/florin').name).toBe('florin-8080-florin');
});

test('it is found among others, and an empty one counts as absent', () => {
  const cookie = new SessionCookie('http://127.0.0.1:8080');
  expect(cookie.read('theme=dark; florin-8080=a.b-c_d; florin-80801=x')).toBe('a.b-c_d');
  expect(cookie.read('florin-8080=')).toBeUndefined();
  expect(cookie.read(undefined)).toBeUndefined();
});

test('behind a proxy that ends TLS, the host of the origin decides', () => {
  const cookie = new SessionCookie('http://127.0.0.1:8080');
  const headers = { origin: 'https://console.example', host: 'console.example', 'x-florin-console': '1' };
  expect(() => cookie.requireConsole({ method: 'POST', headers })).not.toThrow();
  expect(() => cookie.requireConsole({ method: 'POST', headers: { ...headers, host: 'other.example' } })).toThrow();
});

test("a script's read counts only with the header of the console; what the browser opens itself does without", () => {
  const cookie = new SessionCookie('https://pay.example');
  const read = (headers: Record<string, string>) => () =>
    cookie.requireConsole({ method: 'GET', headers: { host: 'pay.example', ...headers } });
  const ofScript = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', accept: '*/*' };
  const missing = expect.objectContaining({ type: 'credentials_missing' });
  expect(read(ofScript)).toThrow(missing);
  expect(read({ accept: 'application/json' })).toThrow(missing);
  expect(read({ ...ofScript, 'x-florin-console': '1' })).not.toThrow();
  expect(read({ ...ofScript, 'sec-fetch-mode': 'navigate' })).not.toThrow();
  expect(read({ accept: 'text/html,*/*;q=0.8' })).not.toThrow();
  expect(read({ ...ofScript, accept: 'text/event-stream' })).not.toThrow();
});
