import { definePiece, defineTrigger } from '../framework/piece';

const manualTrigger = defineTrigger({
  displayName: 'Manual Trigger',
  description: 'Starts a run when a person or a program asks for one: `POST /flows/:id/run`.',
  resultType: 'MANUAL',
  output: 'The body of the request.',
  props: {},
});

export const manual = definePiece({
  name: 'manual',
  displayName: 'Manual',
  description: 'Starts flows on request.',
  category: 'FLOW',
  keywords: ['button', 'start', 'by hand', 'run'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: { manual_trigger: manualTrigger },
  actions: {},
});
