import type { HumanRequest } from '@millrace/domain';

/** Lists of what waits show the message, so it cannot be long. */
const MOST_LETTERS = 2_000;

/** The prop of what a person is told who is asked. */
export const MESSAGE = {
  kind: 'text',
  displayName: 'Message',
  description: `What the person needs to know to answer: at most ${MOST_LETTERS.toLocaleString('en')} letters are shown.`,
  required: false,
} as const;

/** The request with the message, if there is one. */
export function withMessage<Request extends HumanRequest>(request: Request, message: string | undefined): Request {
  if (message === undefined || message.trim() === '') return request;
  const letters = [...message];
  const shown = letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join('')}…` : message;
  return { ...request, message: shown };
}
