/**
 * The URL of a request without the base path of the public address. Proxies may pass the base path on or strip it, so a
 * URL without it stays as it is. No path of the service may begin like the base path.
 */
export function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (!/^([/?]|$)/.test(rest)) return url;
  return rest.startsWith('/') ? rest : `/${rest}`;
}
