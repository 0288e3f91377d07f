import type { Piece } from '../api/pieces';
import { matches } from './piece-search';

const MAIL = {
  name: 'smtp',
  displayName: 'SMTP',
  description: 'Sends mail.',
  triggers: {},
  actions: { send_email: { displayName: 'Send Email', description: '', props: {}, requiresAuth: true } },
} as unknown as Piece;

describe('a search of pieces', () => {
  it.each(['', 'smtp', 'MAIL', 'send email', 'email  send', 'sends smtp'])('finds SMTP by %j', (sought) =>
    expect(matches(MAIL, sought)).toBe(true),
  );

  it.each(['slack', 'smtp slack'])('does not find it by %j', (sought) => expect(matches(MAIL, sought)).toBe(false));
});
