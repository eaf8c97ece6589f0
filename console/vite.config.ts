import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w console` serves the console with the API of a node on port 8080. */
const api = { target: 'http://127.0.0.1:8080', changeOrigin: false };

export default defineConfig({
  plugins: [react()],
  // Replaced by the nonce of each answer (server/src/app/http/console/serve-console.ts).
  html: { cspNonce: '{{nonce}}' },
  // The page names its files by the path of the public address, which the service puts in the place of `__BASE_PATH__`;
  // scripts and styles name theirs relative to themselves.
  experimental: {
    renderBuiltUrl: (name, { hostType }) => (hostType === 'html' ? `__BASE_PATH__/${name}` : { relative: true }),
  },
  build: {
    assetsDir: 'assets',
    // A data: URL in a style would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'assets/licenses.md' },
    target: 'es2023',
    // For older targets light-dark() is rewritten to variables that follow the system instead of the chosen theme.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
  server: { proxy: { '/api': api, '/inbox': api, '/docs': api, '/openapi.json': api } },
});
