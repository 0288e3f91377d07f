import { InvalidRequestError } from '@millrace/domain';
import { BadRequestException } from '@nestjs/common';
import { errorAnswer, frameworkAnswer } from './error-answer';

describe('errorAnswer', () => {
  it('has errors for every VALIDATION, also for one of the framework', () => {
    const params = {
      message: 'The request is malformed.',
      errors: [{ path: '', message: 'The request is malformed.' }],
    };
    expect(errorAnswer(new BadRequestException('secret'), 'id').body).toEqual({
      statusCode: 400,
      code: 'VALIDATION',
      params,
    });
    expect(frameworkAnswer(400).params).toEqual(params);
    expect(frameworkAnswer(404).params).not.toHaveProperty('errors');
  });

  it('keeps its sentence short, however deep in a flow the problem is', () => {
    const path = `/request/trigger${'/nextAction'.repeat(1_000)}/settings/input`;
    const { params } = errorAnswer(new InvalidRequestError([{ path, message: 'must be an object.' }]), 'id').body;
    expect(params.message).toBe('/request/trigger/…/nextAction/settings/input: must be an object.');
    expect(params['errors']).toEqual([{ path, message: 'must be an object.' }]);
  });
});
