import { DomainError } from './domain-error';

/** Thrown when a body has a type that the route does not accept. */
export class UnsupportedMediaTypeError extends DomainError {
  readonly code = 'UNSUPPORTED_MEDIA_TYPE';

  constructor(contentType: string, why = `Bodies of type ${JSON.stringify(contentType)} are not accepted here.`) {
    super(why);
  }
}
