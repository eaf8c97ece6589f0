import './styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { basePath } from './api/base-path.ts';
import { queryClient } from './api/query-client.ts';
import { App } from './app.tsx';
import { PreferencesProvider } from './shell/preferences.tsx';
import { theme } from './theme.ts';

/** Read from the property, because browsers empty the attribute so that styles cannot read it. */
const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';
setNonce(nonce);

createRoot(document.getElementById('console') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queryClient}>
        <PreferencesProvider>
          <Router base={basePath}>
            <App />
          </Router>
        </PreferencesProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
