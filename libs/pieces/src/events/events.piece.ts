import { filterProblems, MAX_EVENT_ID_LENGTH, MAX_EVENT_NAME_LENGTH } from '@millrace/domain';
import { holdsExpression, isMissing } from '../framework/coerce-input';
import { ActionFailure, defineAction, definePiece, defineTrigger } from '../framework/piece';

const onEvent = defineTrigger({
  displayName: 'On Event',
  description: 'Starts a run for each event of this name that is published in the project.',
  resultType: 'APP_WEBHOOK',
  output: {
    id: 'The id of the event.',
    name: 'Its name.',
    data: 'Its data.',
    created: 'When it was published.',
  },
  props: {
    name: { kind: 'text', displayName: 'Name', description: 'The name of the events, exactly.', required: true },
    filter: {
      kind: 'array',
      displayName: 'Only when',
      description:
        'OR-groups of AND-conditions, as those of a router, on paths such as `{{trigger.data.total}}`. Without it every event of the name starts a run.',
      required: false,
    },
  },
  problems: ({ name, filter }) => [...nameProblems(name), ...filterProblems(filter)],
  plan: ({ name, filter }) => ({ event: { name: String(name), filter: filter ?? null } }),
});

function nameProblems(name: unknown): string[] {
  if (holdsExpression(name)) return ['The input "Name" (name) cannot be an expression.'];
  return typeof name === 'string' && name.length > MAX_EVENT_NAME_LENGTH ? [TOO_LONG_NAME] : [];
}

const TOO_LONG_NAME = `The name of an event has at most ${MAX_EVENT_NAME_LENGTH} characters.`;

const emit = defineAction({
  displayName: 'Emit Event',
  description: 'Publishes an event, which starts each flow of the project that listens to its name.',
  output: { id: 'The id of the event.', runs: 'How many runs it has started.' },
  props: {
    name: { kind: 'text', displayName: 'Name', required: true },
    data: { kind: 'any', displayName: 'Data', required: false },
    id: {
      kind: 'text',
      displayName: 'Id',
      description: 'An event of the same name and id within 24 hours starts no more runs. By default it is the step.',
      required: false,
    },
  },
  run: async ({ input: { name, data, id }, run, emit }) => {
    if (name.length > MAX_EVENT_NAME_LENGTH) throw new ActionFailure(TOO_LONG_NAME);
    const eventId = isMissing(id) ? run.stepKey : String(id);
    if (eventId.length > MAX_EVENT_ID_LENGTH)
      throw new ActionFailure(`The id of an event has at most ${MAX_EVENT_ID_LENGTH} characters.`);
    return { id: eventId, runs: await emit({ id: eventId, name, data: data ?? null }) };
  },
});

export const events = definePiece({
  name: 'events',
  displayName: 'Events',
  description: 'Connects flows by events that have names.',
  category: 'FLOW',
  keywords: ['publish', 'subscribe', 'emit', 'message', 'signal'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: { on_event: onEvent },
  actions: { emit },
});
