import type { ConnectionUsage } from './audit-event';
import { ConnectionUses } from './connection-uses';

const HOUR_MS = 3_600_000;
const use = (connectionId: string, flowId: string): ConnectionUsage => ({
  projectId: 'p',
  connectionId,
  externalId: 'crm',
  flowId,
});

describe('ConnectionUses', () => {
  let now = 0;
  const written: ConnectionUsage[][] = [];
  const recordUses = jest.fn(async (uses: readonly ConnectionUsage[]) => void written.push([...uses]));
  let uses: ConnectionUses;

  beforeEach(() => {
    now = 0;
    written.length = 0;
    uses = new ConnectionUses({ recordUses }, () => now);
  });

  it('writes each connection and flow once an hour', async () => {
    for (const flow of ['f', 'g', 'f', 'f']) uses.note(use('c', flow));
    await uses.flush();
    now = HOUR_MS - 1;
    uses.note(use('c', 'f'));
    await uses.flush();
    now = HOUR_MS;
    uses.note(use('c', 'f'));
    await uses.flush();

    expect(written).toEqual([[use('c', 'f'), use('c', 'g')], [use('c', 'f')]]);
  });

  it('notes a use again that could not be written', async () => {
    recordUses.mockRejectedValueOnce(new Error('away'));
    uses.note(use('c', 'f'));
    await expect(uses.flush()).rejects.toThrow('away');

    uses.note(use('c', 'f'));
    await uses.flush();

    expect(written).toEqual([[use('c', 'f')]]);
  });
});
