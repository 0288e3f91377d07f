import { DomainError } from './domain-error';

/**
 * Thrown when a body, query or cursor is malformed. `path` is a JSON pointer. A message says something of what is there
 * (`must be text.`), or it is a whole sentence, for what is in no one place of the body.
 */
export class InvalidRequestError extends DomainError {
  readonly code = 'VALIDATION';

  constructor(errors: readonly { path: string; message: string }[]) {
    const first = errors[0];
    super(first ? sentenceOf(first) : 'The request is malformed.', { errors });
  }
}

const sentenceOf = ({ path, message }: { path: string; message: string }): string =>
  path === '' && /^[A-Z]/.test(message) ? message : `${placeOf(path)}: ${message}`;

const LONGEST_PATH = 200;

/** The place as the sentence names it. A pointer to a deep step is long: it is shortened here and whole in `errors`. */
function placeOf(path: string): string {
  if (path === '') return 'The body';
  if (path.length <= LONGEST_PATH) return path;
  const members = path.split('/');
  return [...members.slice(0, 3), '…', ...members.slice(-3)].map((member) => member.slice(0, 50)).join('/');
}
