import { InvalidRequestError } from './invalid-request.error';

const sentence = (path: string, message: string) => new InvalidRequestError([{ path, message }]).message;

describe('InvalidRequestError', () => {
  it('says of which place it is', () => {
    expect(sentence('/limit', 'must be a number.')).toBe('/limit: must be a number.');
    expect(sentence('', 'is not valid JSON.')).toBe('The body: is not valid JSON.');
  });

  it('speaks of no body before a sentence about something else', () => {
    const message = 'The header webhook-id has at most 255 characters.';
    expect(sentence('', message)).toBe(message);
  });
});
