import type { FlowVersion, FlowVersionReader } from '@millrace/domain';
import { aFlowVersion, codeStep } from '@millrace/domain/testing';
import { CompiledFlows } from './compiled-flows';

/** Sets up a reader that answers when the test tells it to. */
function setUp() {
  const answers: ((version: FlowVersion | Error) => void)[] = [];
  const getVersion = jest.fn(
    () =>
      new Promise<FlowVersion>((resolve, reject) =>
        answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
      ),
  );
  const flows = new CompiledFlows({ getVersion } as unknown as FlowVersionReader);
  return { flows, getVersion, answers };
}

const locked = aFlowVersion([codeStep('a')]);
const draftWith = (step: string) => aFlowVersion([codeStep(step)], { state: 'DRAFT' });
const stepNames = (flow: { steps: readonly { name: string }[] }) => flow.steps.map(({ name }) => name);

describe('CompiledFlows', () => {
  it('loads a locked version once, for runs that begin together or later', async () => {
    const { flows, getVersion, answers } = setUp();

    const together = [flows.get('version'), flows.get('version')];
    answers[0]?.(locked);

    const [one, other] = await Promise.all(together.map(async (flow) => flow));
    expect(other).toBe(one);
    expect(flows.get('version')).toBe(one);
    expect(getVersion).toHaveBeenCalledTimes(1);
  });

  it('loads a draft for each run, since it may have been edited in between', async () => {
    const { flows, answers } = setUp();

    const first = flows.get('version');
    answers[0]?.(draftWith('before'));
    expect(stepNames(await first)).toEqual(['before']);

    const second = flows.get('version');
    answers[1]?.(draftWith('after'));
    expect(stepNames(await second)).toEqual(['after']);
  });

  it('does not give a run the draft that was being read for another one', async () => {
    const { flows, getVersion, answers } = setUp();

    const first = flows.get('version');
    const second = flows.get('version');
    answers[0]?.(draftWith('before'));
    expect(stepNames(await first)).toEqual(['before']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(getVersion).toHaveBeenCalledTimes(2);
    answers[1]?.(draftWith('after'));

    expect(stepNames(await second)).toEqual(['after']);
  });

  it('keeps a version from the moment it is locked', async () => {
    const { flows, getVersion, answers } = setUp();

    const asDraft = flows.get('version');
    answers[0]?.(draftWith('a'));
    await asDraft;
    const asLocked = flows.get('version');
    answers[1]?.(locked);
    await asLocked;
    await flows.get('version');

    expect(getVersion).toHaveBeenCalledTimes(2);
  });

  it('tries again when the version could not be read', async () => {
    const { flows, answers } = setUp();

    const failed = flows.get('version');
    answers[0]?.(new Error('The database is away.'));
    await expect(failed).rejects.toThrow('away');

    const next = flows.get('version');
    answers[1]?.(locked);
    expect(stepNames(await next)).toEqual(['a']);
  });
});
