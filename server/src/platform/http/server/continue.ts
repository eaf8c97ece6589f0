import type { RequestListener, Server } from 'node:http';

/**
 * Sends `100 Continue` to a client that expects it when the body begins to be read, instead of at once: a request that
 * is refused by its headers, such as one with a Content-Length beyond the limit, gets only its refusal (RFC 9110,
 * 10.1.1). The connection then closes, because the client may nevertheless send the body.
 */
export function continueWhenRead(server: Server): void {
  const listener: RequestListener = (request, response) => {
    const isKeptAlive = response.shouldKeepAlive;
    response.shouldKeepAlive = false;
    request.once('resume', () => {
      if (response.headersSent) return;
      response.shouldKeepAlive = isKeptAlive;
      response.writeContinue();
    });
    server.emit('request', request, response);
  };
  server.on('checkContinue', listener);
}
