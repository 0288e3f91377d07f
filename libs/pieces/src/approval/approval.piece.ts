import { defineAction, definePiece } from '../framework/piece';
import { MESSAGE, withMessage } from '../human-input/message';

const waitForApproval = defineAction({
  displayName: 'Wait For Approval',
  description: 'Waits until a person approves or disapproves by a link that an earlier step created.',
  isPure: true,
  output: { approved: 'Whether it was approved.', comment: 'What the person wrote; absent when nothing.' },
  props: { message: MESSAGE },
  run: async ({ input, waitFor }) => waitFor.human(withMessage({ kind: 'approval' }, input.message)),
});

const createApprovalLinks = defineAction({
  displayName: 'Create Approval Links',
  description: 'Creates the links for the person who decides. A later step waits for the decision.',
  isPure: true,
  output: {
    approvalLink: 'Shows a page that approves with one click.',
    disapprovalLink: 'Shows a page that disapproves with one click.',
  },
  props: { message: MESSAGE },
  run: async ({ input, openRequest }) => {
    const url = openRequest(withMessage({ kind: 'approval' }, input.message));
    return { approvalLink: `${url}?action=approve`, disapprovalLink: `${url}?action=disapprove` };
  },
});

export const approval = definePiece({
  name: 'approval',
  displayName: 'Approval',
  description: 'Lets a person decide how a run continues.',
  category: 'PEOPLE',
  keywords: ['approve', 'reject', 'decide', 'review', 'sign off'],
  version: '0.1.0',
  auth: { kind: 'none' },
  triggers: {},
  actions: { wait_for_approval: waitForApproval, create_approval_links: createApprovalLinks },
});
