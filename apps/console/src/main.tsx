import { QueryClientProvider } from '@tanstack/react-query';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import { queryClient } from './api/queries';
import { cspNonce } from './browser/csp-nonce';
import { router } from './router';
import { applyTheme } from './shell/theme';
import './styles.css';

// The policy of the page allows only style elements with its nonce. Radix makes some.
setNonce(cspNonce());
applyTheme();

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element for the console.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
