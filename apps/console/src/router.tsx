import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate, redirect, type LoaderFunctionArgs } from 'react-router';
import { loadedPart } from './browser/loaded-part';
import { ErrorPage } from './shell/error-page';
import { NotFoundPage } from './shell/not-found-page';
import { requireSession } from './shell/require-session';
import { Shell } from './shell/shell';
import { Starting } from './shell/starting';
import { KeptPage } from './sign-in/kept-page';
import { SignInPage } from './sign-in/sign-in-page';

const toProjectSettings = ({ request }: LoaderFunctionArgs) =>
  redirect(`/settings/project${new URL(request.url).search}`);

/** A page is loaded when it is first gone to. */
const page = (load: () => Promise<ComponentType>) => async () => ({ Component: await loadedPart(load) });

export const router = createBrowserRouter([
  { path: '/sign-in', element: <SignInPage />, errorElement: <ErrorPage />, hydrateFallbackElement: <Starting /> },
  {
    path: '/sign-up',
    lazy: async () => {
      const { SignUpPage: Component, trySession: loader } = await loadedPart(() => import('./sign-in/sign-up-page'));
      return { Component, loader };
    },
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <Starting />,
  },
  {
    path: '/connections/oauth2',
    lazy: page(async () => (await import('./connection-form/consent-page')).ConsentPage),
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <Starting />,
  },
  {
    id: 'shell',
    path: '/',
    loader: requireSession,
    element: (
      <KeptPage>
        <Shell />
      </KeptPage>
    ),
    errorElement: <ErrorPage />,
    hydrateFallbackElement: <Starting />,
    children: [
      {
        // What is around the page stays, with the ways to the others.
        errorElement: <ErrorPage />,
        children: [
          { index: true, element: <Navigate to="/flows" replace /> },
          { path: 'flows', lazy: page(async () => (await import('./flows/flows-page')).FlowsPage) },
          {
            path: 'flows/:id',
            lazy: page(async () => (await import('./flow-editor/flow-editor-page')).FlowEditorPage),
          },
          {
            path: 'flows/:id/versions',
            lazy: page(async () => (await import('./flow-versions/versions-page')).VersionsPage),
          },
          { path: 'runs', lazy: page(async () => (await import('./runs/runs-page')).RunsPage) },
          { path: 'runs/:id', lazy: page(async () => (await import('./run/run-page')).RunPage) },
          {
            path: 'runs/:id/compare/:other',
            lazy: page(async () => (await import('./run/compare/compare-page')).ComparePage),
          },
          {
            path: 'failures',
            lazy: page(async () => (await import('./failures/failures-page')).FailuresPage),
          },
          {
            path: 'approvals',
            lazy: page(async () => (await import('./approvals/approvals-page')).ApprovalsPage),
          },
          {
            path: 'connections',
            lazy: page(async () => (await import('./connections/connections-page')).ConnectionsPage),
          },
          {
            path: 'connections/:id',
            lazy: page(async () => (await import('./connections/connection-page')).ConnectionPage),
          },
          {
            path: 'templates',
            lazy: page(async () => (await import('./templates/templates-page')).TemplatesPage),
          },
          { path: 'pieces', lazy: page(async () => (await import('./pieces/pieces-page')).PiecesPage) },
          { path: 'pieces/:name', lazy: page(async () => (await import('./pieces/piece-page')).PiecePage) },
          { path: 'queues', lazy: page(async () => (await import('./queues/queues-page')).QueuesPage) },
          { path: 'settings', loader: toProjectSettings, element: <Starting /> },
          {
            path: 'settings/project',
            lazy: page(async () => (await import('./settings/project-page')).ProjectPage),
          },
          {
            path: 'settings/members',
            lazy: page(async () => (await import('./settings/members-page')).MembersPage),
          },
          {
            path: 'settings/api-keys',
            lazy: page(async () => (await import('./settings/api-keys-page')).ApiKeysPage),
          },
          {
            path: 'settings/event-destinations',
            lazy: page(async () => (await import('./settings/event-destinations-page')).EventDestinationsPage),
          },
          {
            path: 'settings/event-destinations/:id',
            lazy: page(async () => (await import('./settings/event-destination-page')).EventDestinationPage),
          },
          {
            path: 'settings/store',
            lazy: page(async () => (await import('./settings/store-page')).StorePage),
          },
          {
            path: 'settings/audit',
            lazy: page(async () => (await import('./settings/audit-page')).AuditPage),
          },
          {
            path: 'settings/installation',
            lazy: page(async () => (await import('./settings/installation-page')).InstallationPage),
          },
          { path: '*', element: <NotFoundPage /> },
        ],
      },
    ],
  },
]);
