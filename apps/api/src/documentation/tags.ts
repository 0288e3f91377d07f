import { mapOperations, type ApiDocument } from './api-document';

/** The groups of operations, in the order of the documentation. */
const TAGS: Readonly<Record<string, string>> = {
  authentication: 'Signing in: an access token for an e-mail address and a password.',
  users: 'Who calls.',
  projects: 'What holds flows, runs and connections apart; a caller has a role in some of them.',
  'api keys': 'Credentials of programs.',
  flows: 'What is run: drafts, published versions, operations on them, and starting a run.',
  folders: 'Where flows are put in order.',
  templates: 'Definitions to start flows from.',
  pieces: 'The integrations that steps are made of, with their inputs.',
  connections: 'Secrets that steps use to reach other systems. They are never shown again.',
  'store entries': 'What the flows of a project keep from run to run.',
  files: 'Uploads, large outputs and the logs of runs.',
  'sample data': 'What steps were given, or gave, while their flow was built.',
  'flow runs': 'What has run: lists, single runs with what their steps did, cancelling, retrying, archiving.',
  'human input': 'Requests that a run waits for. Whoever has the address may answer.',
  webhooks: 'Where runs are started from outside, without credentials.',
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
