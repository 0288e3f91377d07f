import { ProjectFlows, type FlowOfProject } from '@millrace/domain';
import { flowServices } from './call-flows';

const flowOf = (pieceName: string): FlowOfProject =>
  ({ id: 'f', version: { id: 'v', trigger: { type: 'PIECE_TRIGGER', settings: { pieceName } } } }) as FlowOfProject;

class NotingFlows extends ProjectFlows {
  readonly asked: unknown[] = [];

  override async list(projectId: string, externalIds?: readonly string[]): Promise<FlowOfProject[]> {
    this.asked.push([projectId, externalIds]);
    return [flowOf('data_mapper'), flowOf('@acme/piece-x')];
  }
}

describe('the flows that a call of a package lists', () => {
  it('are those of its project, with the public names of pieces', async () => {
    const flows = new NotingFlows();
    const { flows: list } = flowServices('project_1', flows);

    const page = await list?.({ externalIds: ['a', 5], projectId: 'other' });

    expect(page).toMatchObject({ next: null, previous: null });
    expect(page).toHaveProperty('data.0.version.trigger.settings.pieceName', '@activepieces/piece-data-mapper');
    expect(page).toHaveProperty('data.1.version.trigger.settings.pieceName', '@acme/piece-x');
    expect(flows.asked).toEqual([['project_1', ['a', '5']]]);
  });

  it('are all where the filter names none', async () => {
    const flows = new NotingFlows();

    await flowServices('project_1', flows)['flows']?.(null);

    expect(flows.asked).toEqual([['project_1', undefined]]);
  });

  it('are listed one time after the other, also after one that failed', async () => {
    const flows = new NotingFlows();
    const held: ((outcome: Promise<FlowOfProject[]>) => void)[] = [];
    jest.spyOn(flows, 'list').mockImplementation(() => new Promise((resolve) => void held.push(resolve)));
    const { flows: list } = flowServices('project_1', flows);

    const [first, second] = [list?.(null), list?.(null)];
    await new Promise(setImmediate);
    expect(held).toHaveLength(1);
    held[0]?.(Promise.reject(new Error('away')));
    await expect(first).rejects.toThrow('away');
    await new Promise(setImmediate);
    held[1]?.(Promise.resolve([]));

    expect(await second).toMatchObject({ data: [] });
  });
});
