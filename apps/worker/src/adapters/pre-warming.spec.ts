import type { FlowVersion, FlowVersionReader } from '@millrace/domain';
import { aCodeBundle, aFlowVersion, anId, codeStep, loop } from '@millrace/domain/testing';
import { CompiledFlows } from '@millrace/runner';
import { Logger } from '@nestjs/common';
import type { CodeBundles } from './code-bundles';
import { PreWarming } from './pre-warming';

const LIMITS = { timeMs: 60_000, bytes: 1_000_000 };
const bundle = aCodeBundle();
const bytesOfOne = bundle.script.length + bundle.sourceMap.length;

function setUp(versions: readonly FlowVersion[]) {
  const getVersion = jest.fn((id: string) => {
    const found = versions.find((version) => version.id === id);
    return found ? Promise.resolve(found) : Promise.reject(new Error('It is gone.'));
  });
  const enabledVersions = jest.fn(() => Promise.resolve(versions.map(({ id }) => id)));
  const reader = { getVersion, enabledVersions } as unknown as FlowVersionReader;
  const get = jest.fn(() => Promise.resolve(bundle));
  const flows = new CompiledFlows(reader);
  const said = jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const warming = new PreWarming(reader, flows, { get } as unknown as CodeBundles);
  return { warming, flows, get, getVersion, enabledVersions, said, warned };
}

const aVersion = () =>
  aFlowVersion([codeStep('step_1'), loop('loop', '{{trigger.body}}', [codeStep('step_2')])], { id: anId() });

describe('PreWarming', () => {
  afterEach(() => jest.restoreAllMocks());

  it('loads flows and their code steps, also those within others, and says what it loaded', async () => {
    const version = aVersion();
    const { warming, flows, get, getVersion, said } = setUp([version]);

    await warming.warm(LIMITS);
    await flows.get(version.id);

    expect(getVersion).toHaveBeenCalledTimes(1);
    expect(get).toHaveBeenCalledTimes(2);
    expect(said).toHaveBeenCalledWith(
      expect.objectContaining({ flows: 1, codeSteps: 2, bytes: 2 * bytesOfOne, skipped: 0 }),
    );
  });

  it('stops at its bound of bytes', async () => {
    const { warming, getVersion } = setUp([aVersion(), aVersion(), aVersion()]);

    await warming.warm({ ...LIMITS, bytes: 3 * bytesOfOne });

    expect(getVersion).toHaveBeenCalledTimes(2);
  });

  it('stops waiting at its bound of time', async () => {
    const { warming, get, said } = setUp([aVersion(), aVersion()]);
    get.mockReturnValue(new Promise(() => undefined));

    await warming.warm({ ...LIMITS, timeMs: 1 });

    expect(said).toHaveBeenCalledWith(expect.objectContaining({ codeSteps: 0 }));
  });

  it('leaves what cannot be loaded to the run that needs it', async () => {
    const { warming, get, enabledVersions, said, warned } = setUp([aVersion(), aVersion()]);
    get.mockRejectedValueOnce(new Error('The registry is away.'));

    await warming.warm(LIMITS);
    enabledVersions.mockRejectedValueOnce(new Error('The database is away.'));
    await warming.warm(LIMITS);

    expect(said).toHaveBeenCalledWith(expect.objectContaining({ flows: 2, codeSteps: 2, skipped: 1 }));
    expect(warned).toHaveBeenCalledTimes(1);
  });
});
