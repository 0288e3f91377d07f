import type { FoundConnection, FreshConnections } from '@millrace/domain';
import { BrokenConnection } from '@millrace/engine';
import type { NotedConnectionUses } from './noted-connection-uses';
import { findForTrigger, StoredConnections } from './stored-connections';

describe('StoredConnections', () => {
  const stored = new Map<string, FoundConnection>([
    ['token', { id: '1', value: { type: 'SECRET_TEXT', secret_text: 'abc' } }],
    ['login', { id: '2', value: { type: 'BASIC_AUTH', username: 'ada', password: 'pw' } }],
    ['broken', { id: '3', problem: 'It was revoked.' }],
  ]);
  const find = jest.fn((_: string, ids: readonly string[]) =>
    Promise.resolve(new Map([...stored].filter(([id]) => ids.includes(id)))),
  );
  const note = jest.fn();
  const connections = new StoredConnections(
    { find } as Partial<FreshConnections> as FreshConnections,
    { note } as Partial<NotedConnectionUses> as NotedConnectionUses,
  );

  it('gives each connection that is there as expressions read it, and says why one cannot be used', async () => {
    const found = await connections.find('project', ['token', 'login', 'broken', 'unknown']);

    expect(Object.fromEntries(found)).toEqual({
      token: 'abc',
      login: { username: 'ada', password: 'pw' },
      broken: new BrokenConnection('It was revoked.'),
    });
  });

  it('notes which flow uses which connection', async () => {
    await connections.find('project', ['token'], 'flow');

    expect(note.mock.calls).toEqual([
      [{ projectId: 'project', connectionId: '1', externalId: 'token', flowId: 'flow' }],
    ]);
  });

  it('gives a trigger all its connections, or none', async () => {
    expect([...(await findForTrigger(connections, 'project', ['token'])).keys()]).toEqual(['token']);
    expect(await findForTrigger(connections, 'project', [])).toEqual(new Map());
    await expect(findForTrigger(connections, 'project', ['token', 'broken'])).rejects.toThrow(
      'The connection "broken" cannot be used: It was revoked.',
    );
  });
});
