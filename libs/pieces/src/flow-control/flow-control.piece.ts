import { defineAction, definePiece } from '../framework/piece';
import { choicesOf } from '../framework/props';

const stop = defineAction({
  displayName: 'Stop Flow',
  description: 'Ends the run here.',
  isPure: true,
  output: { status: 'How the run ends.', message: 'The message, when there is one.' },
  props: {
    status: {
      kind: 'dropdown',
      displayName: 'Status',
      description: 'How the run ends.',
      required: true,
      options: choicesOf('SUCCEEDED', 'FAILED'),
    },
    message: { kind: 'text', displayName: 'Message', required: false },
  },
  run: async ({ input: { status, message }, stop }) => {
    const ending = message ? { status, message } : { status };
    stop(ending);
    return ending;
  },
});

const addTag = defineAction({
  displayName: 'Add Tag',
  description: 'Adds a tag to the run. Runs can be found by their tags.',
  isPure: true,
  output: { name: 'The tag.' },
  props: { name: { kind: 'text', displayName: 'Name', required: true } },
  run: async ({ input: { name }, addTag }) => {
    addTag(name);
    return { name };
  },
});

export const flowControl = definePiece({
  name: 'flow_control',
  displayName: 'Flow Control',
  description: 'Ends runs and adds tags to them.',
  category: 'FLOW',
  keywords: ['stop', 'end', 'fail', 'tag', 'label'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: {},
  actions: { stop, add_tag: addTag },
});
