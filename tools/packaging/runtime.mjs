// Where Florin runs. Plain JavaScript for old releases of Node.js, because it says what to do there.

const onMac = 'On macOS: `brew install node@24`, or the installer of https://nodejs.org.';

/**
 * Why Florin does not run here and how to get there, in one line; undefined: it runs. `hasBundledNode`: the
 * dependencies are installed and include Node.js 24, as on Linux; undefined before they are installed.
 */
export function runtimeRefusal({ platform, version, hasBundledNode }) {
  const major = Number(version.replace(/^v/, '').split('.')[0]);
  if (platform === 'win32') {
    return 'Florin does not run on Windows itself. Use WSL (`wsl --install`, then clone there) or the container.';
  }
  if (platform === 'linux' && hasBundledNode !== false) {
    return major >= 20
      ? undefined
      : `Florin needs Node.js 20 or newer to start; this is ${version}. See https://nodejs.org.`;
  }
  if (major >= 24) return undefined;
  return `Florin needs Node.js 24 or newer on this platform; this is ${version}. ${
    platform === 'darwin' ? onMac : 'See https://nodejs.org.'
  }`;
}
