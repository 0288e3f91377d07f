import { RequestValidationPipe } from '@millrace/http';
import { RerunDto } from './rerun.dto';

const read = (body: object): Promise<unknown> =>
  new RequestValidationPipe().transform(body, { type: 'body', metatype: RerunDto });

describe('the body of a rerun', () => {
  it.each<[string, object]>([
    ['nothing', {}],
    ['a step and an iteration', { fromStep: 'a', iteration: 2 }],
    ['iterations of nested loops', { fromStep: 'a', iteration: [1, 2] }],
    ['any input', { input: { nested: [1, null] } }],
    ['null as input', { input: null }],
    ['each version', { version: 'draft', dryRun: true }],
  ])('may be %s', async (_what, body) => {
    expect({ ...((await read(body)) as object) }).toEqual({ version: 'same', dryRun: false, ...body });
  });

  it.each<[string, object, string]>([
    ['iteration 0', { iteration: 0 }, '/iteration'],
    ['half an iteration', { iteration: 1.5 }, '/iteration'],
    ['an iteration as text', { iteration: '1' }, '/iteration'],
    ['no iteration', { iteration: null }, '/iteration'],
    ['iterations of which one is none', { iteration: [1, 'x'] }, '/iteration'],
    ['another version', { version: 'newest' }, '/version'],
    ['a step that is no text', { fromStep: 1 }, '/fromStep'],
    ['a flag that is none', { dryRun: 'yes' }, '/dryRun'],
    ['another field', { step: 'a' }, '/step'],
  ])('may not have %s', async (_what, body, path) => {
    await expect(read(body)).rejects.toMatchObject({ params: { errors: [{ path }] } });
  });
});
