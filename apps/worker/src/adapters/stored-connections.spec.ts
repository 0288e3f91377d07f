import type { ConnectionValue } from '@millrace/domain';
import { StoredConnections } from './stored-connections';

describe('StoredConnections', () => {
  it('gives each connection that is there as expressions read it', async () => {
    const stored = new Map<string, ConnectionValue>([
      ['token', { type: 'SECRET_TEXT', secret_text: 'abc' }],
      ['login', { type: 'BASIC_AUTH', username: 'ada', password: 'pw' }],
    ]);
    const find = jest.fn(() => Promise.resolve(stored));
    const connections = new StoredConnections({ find });

    const found = await connections.find('project', ['token', 'login', 'unknown']);

    expect(find).toHaveBeenCalledWith('project', ['token', 'login', 'unknown']);
    expect(Object.fromEntries(found)).toEqual({ token: 'abc', login: { username: 'ada', password: 'pw' } });
  });
});
