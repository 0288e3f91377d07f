import { createBrowserRouter, Navigate, redirect, type LoaderFunctionArgs } from 'react-router';
import { ErrorPage } from './shell/error-page';
import { NotFoundPage } from './shell/not-found-page';
import { requireSession } from './shell/require-session';
import { Shell } from './shell/shell';
import { Starting } from './shell/starting';
import { SignInPage } from './sign-in/sign-in-page';

const toProjectSettings = ({ request }: LoaderFunctionArgs) =>
  redirect(`/settings/project${new URL(request.url).search}`);

export const router = createBrowserRouter([
  { path: '/sign-in', element: <SignInPage />, errorElement: <ErrorPage />, hydrateFallbackElement: <Starting /> },
  {
    path: '/sign-up',
    lazy: async () => {
      const { SignUpPage: Component, trySession: loader } = await import('./sign-in/sign-up-page');
      return { Component, loader };
    },
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <Starting />,
  },
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
      { path: 'flows', lazy: async () => ({ Component: (await import('./flows/flows-page')).FlowsPage }) },
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
        path: 'templates',
        lazy: async () => ({ Component: (await import('./templates/templates-page')).TemplatesPage }),
      },
      { path: 'pieces', lazy: async () => ({ Component: (await import('./pieces/pieces-page')).PiecesPage }) },
      { path: 'pieces/:name', lazy: async () => ({ Component: (await import('./pieces/piece-page')).PiecePage }) },
      { path: 'queues', lazy: async () => ({ Component: (await import('./queues/queues-page')).QueuesPage }) },
      { path: 'settings', loader: toProjectSettings, element: <Starting /> },
      {
        path: 'settings/project',
        lazy: async () => ({ Component: (await import('./settings/project-page')).ProjectPage }),
      },
      {
        path: 'settings/members',
        lazy: async () => ({ Component: (await import('./settings/members-page')).MembersPage }),
      },
      {
        path: 'settings/api-keys',
        lazy: async () => ({ Component: (await import('./settings/api-keys-page')).ApiKeysPage }),
      },
      {
        path: 'settings/event-destinations',
        lazy: async () => ({
          Component: (await import('./settings/event-destinations-page')).EventDestinationsPage,
        }),
      },
      {
        path: 'settings/event-destinations/:id',
        lazy: async () => ({ Component: (await import('./settings/event-destination-page')).EventDestinationPage }),
      },
      {
        path: 'settings/store',
        lazy: async () => ({ Component: (await import('./settings/store-page')).StorePage }),
      },
      {
        path: 'settings/audit',
        lazy: async () => ({ Component: (await import('./settings/audit-page')).AuditPage }),
      },
      {
        path: 'settings/installation',
        lazy: async () => ({ Component: (await import('./settings/installation-page')).InstallationPage }),
      },
      { path: '*', element: <NotFoundPage /> },
    ],
  },
]);
