import { errorAnswer } from '@millrace/http';
import { nameRequestError } from '@millrace/persistence';
import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';

export type ErrorBody = ReturnType<typeof errorAnswer>['body'];

const logger = new Logger('LiveUpdates');

/** The error as a REST request would get it. An unexpected error is logged under the id that the client gets. */
export function errorBody(error: unknown): ErrorBody {
  const requestId = randomUUID();
  const { body, isBug } = errorAnswer(nameRequestError(error), requestId);
  if (isBug) logger.error({ msg: `A live client got an error (${JSON.stringify(body.params)}).`, requestId }, error);
  return body;
}
