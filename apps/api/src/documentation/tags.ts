import { mapOperations, type ApiDocument } from './api-document';

/** The groups of operations, in the order of the documentation. */
const TAGS: Readonly<Record<string, string>> = {
  installation: 'Public facts about this service.',
  authentication: 'Sessions: tokens for an e-mail address and a password, and for a refresh token.',
  users: 'The user who makes the request, and for administrators of the platform all users.',
  projects: 'Projects keep flows, runs and connections apart. A caller has a role in some of them.',
  'project members': 'Who has which role in a project.',
  'user invitations': 'Invitations of people to a project.',
  'api keys': 'Credentials for programs.',
  'audit events': 'The log of who did what.',
  'worker machines': 'The processes that execute runs.',
  flows: 'Flows with their drafts and published versions: reading, changing and running them.',
  folders: 'Folders that group flows.',
  templates: 'Definitions to start flows from.',
  pieces: 'The integrations that steps are made of, with their inputs.',
  connections: 'Secrets that steps use to reach other systems. They are never shown again.',
  'oauth apps': 'Apps that administrators of the platform have registered with providers, one for each piece.',
  'event destinations': 'Addresses outside that the events of a project are sent to, and the log of deliveries.',
  'store entries': 'Values that the flows of a project keep between runs.',
  events: 'Events with names, to which flows of a project listen.',
  files: 'Uploads, large outputs and the logs of runs.',
  'sample data': 'The last inputs and outputs of steps, from tests of their flow.',
  'flow runs': 'Runs of flows: lists, single runs with the results of their steps, cancelling, retrying, archiving.',
  'human input': 'Requests that a run waits for. The link of a request gives the right to answer it.',
  forms: 'Forms that start runs when people send them, without credentials.',
  webhooks: 'Addresses that start runs from outside, without credentials.',
  queue: 'The job queue, for administrators of the platform.',
  documentation: 'This document.',
  health: 'Whether the processes run and can do their work.',
};

/** Describes every tag. Throws for an operation whose tag has no description. */
export function describeTags(document: ApiDocument): ApiDocument {
  mapOperations(document, ({ name, operation }) => {
    const unknown = (operation.tags ?? ['none']).find((tag) => !Object.hasOwn(TAGS, tag));
    if (unknown !== undefined) throw new Error(`${name} has the tag "${unknown}", which is not described.`);
    return operation;
  });
  return { ...document, tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })) };
}
