import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** `npm run dev -w console` serves the console with the API of a node on port 8080. */
const api = { target: 'http://127.0.0.1:8080', changeOrigin: false };

export default defineConfig({
  plugins: [react()],
  // Stands in every page for the nonce of its answer (server/src/app/http/console/serve-console.ts).
  html: { cspNonce: '{{nonce}}' },
  build: {
    assetsDir: 'assets',
    // A data: address in a style would need an exception in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'assets/licenses.md' },
    target: 'es2023',
    // Older targets have light-dark() rewritten to variables that follow the system and not the chosen theme.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
  },
  server: { proxy: { '/api': api, '/inbox': api, '/docs': api, '/openapi.json': api } },
});
