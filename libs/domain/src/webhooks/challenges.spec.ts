import { echoChallenge, slackChallenge } from './challenges';

describe('echoChallenge', () => {
  const inQuery = (queryParams: unknown) => echoChallenge({ in: 'query', name: 'c' }, { headers: {}, queryParams });

  it('answers a query parameter as plain text', () =>
    expect(inQuery({ c: '<script>' })).toEqual({
      headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
      body: '<script>',
    }));

  it('answers a header with the same header', () =>
    expect(
      echoChallenge({ in: 'header', name: 'x-hook-secret' }, { headers: { 'x-hook-secret': 'b537' }, queryParams: {} }),
    ).toEqual({ headers: { 'x-hook-secret': 'b537' }, body: '' }));

  it.each([[{}], [{ c: '' }], [{ c: ['a', 'b'] }], [{ c: 'x'.repeat(5_000) }], [undefined], ['c'], [{ toString: 1 }]])(
    'finds no challenge in %j',
    (queryParams) => expect(inQuery(queryParams)).toBeNull(),
  );
});

describe('slackChallenge', () => {
  const event = {
    token: 'Jhj5dZrVaK7ZwHHjRyZWjbDl',
    challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    type: 'url_verification',
  };
  const answerTo = (body: unknown) =>
    slackChallenge(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));

  it('answers the challenge', () => expect(answerTo(event)?.body).toBe(event.challenge));

  it.each([
    ['another event', { ...event, type: 'event_callback' }],
    ['an event that only speaks of it', { type: 'event_callback', text: 'url_verification' }],
    ['no challenge', { type: 'url_verification' }],
    ['a challenge that is no text', { ...event, challenge: {} }],
    ['a form', 'payload=url_verification'],
    ['a large body', { ...event, more: 'x'.repeat(100_000) }],
  ])('does not answer %s', (_, body) => expect(answerTo(body)).toBeNull());
});
