import { createBrowserRouter, Navigate } from 'react-router';
import { FlowsPage } from './flows/flows-page';
import { ErrorPage } from './shell/error-page';
import { NotFoundPage } from './shell/not-found-page';
import { requireSession } from './shell/require-session';
import { Shell } from './shell/shell';
import { Starting } from './shell/starting';
import { SignInPage } from './sign-in/sign-in-page';

export const router = createBrowserRouter([
  { path: '/sign-in', element: <SignInPage />, errorElement: <ErrorPage />, hydrateFallbackElement: <Starting /> },
  {
    path: '/connections/oauth2',
    lazy: async () => ({ Component: (await import('./connection-form/consent-page')).ConsentPage }),
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <Starting />,
  },
  {
    id: 'shell',
    path: '/',
    loader: requireSession,
    element: <Shell />,
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <Starting />,
    children: [
      { index: true, element: <Navigate to="/flows" replace /> },
      { path: 'flows', element: <FlowsPage /> },
      {
        path: 'flows/:id',
        lazy: async () => ({ Component: (await import('./flow-editor/flow-editor-page')).FlowEditorPage }),
      },
      {
        path: 'flows/:id/versions',
        lazy: async () => ({ Component: (await import('./flow-versions/versions-page')).VersionsPage }),
      },
      { path: 'runs', lazy: async () => ({ Component: (await import('./runs/runs-page')).RunsPage }) },
      { path: 'runs/:id', lazy: async () => ({ Component: (await import('./run/run-page')).RunPage }) },
      {
        path: 'runs/:id/compare/:other',
        lazy: async () => ({ Component: (await import('./run/compare/compare-page')).ComparePage }),
      },
      {
        path: 'failures',
        lazy: async () => ({ Component: (await import('./failures/failures-page')).FailuresPage }),
      },
      {
        path: 'approvals',
        lazy: async () => ({ Component: (await import('./approvals/approvals-page')).ApprovalsPage }),
      },
      {
        path: 'connections',
        lazy: async () => ({ Component: (await import('./connections/connections-page')).ConnectionsPage }),
      },
      {
        path: 'connections/:id',
        lazy: async () => ({ Component: (await import('./connections/connection-page')).ConnectionPage }),
      },
      {
        path: 'settings/api-keys',
        lazy: async () => ({ Component: (await import('./settings/api-keys-page')).ApiKeysPage }),
      },
      { path: '*', element: <NotFoundPage /> },
    ],
  },
]);
