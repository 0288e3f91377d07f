import { authProblems, coerceAuth, type PieceAuth } from './auth';

const secretText: PieceAuth = { kind: 'secretText', displayName: 'Key' };
const basicAuth: PieceAuth = { kind: 'basicAuth', displayName: 'Login' };
const customAuth: PieceAuth = {
  kind: 'customAuth',
  displayName: 'Server',
  props: { port: { kind: 'number', displayName: 'Port', required: true } },
};

describe('coerceAuth', () => {
  it.each([
    [{ kind: 'none' } as const, 'anything', undefined],
    [secretText, 'k', 'k'],
    [basicAuth, { username: 'ann', password: 'p', more: 1 }, { username: 'ann', password: 'p' }],
    [customAuth, { port: '25' }, { port: 25 }],
  ])('takes for %j: %j', (declared, given, auth) => expect(coerceAuth(declared, given)).toEqual({ auth }));

  it.each([
    [secretText, '', 'The connection "Key" (auth) is required.'],
    [secretText, { username: 'ann', password: 'p' }, 'The connection "Key" (auth) is not of the kind secretText.'],
    [basicAuth, 'k', 'The connection "Login" (auth) is not of the kind basicAuth.'],
    [basicAuth, ['ann', 'p'], 'The connection "Login" (auth) is not of the kind basicAuth.'],
    [basicAuth, { username: 'ann' }, 'The input "Password" (auth.password) is required.'],
    [customAuth, undefined, 'The connection "Server" (auth) is required.'],
    [customAuth, { port: 'a' }, 'The input "Port" (auth.port) must be a number.'],
  ])('refuses for %j: %j', (declared, given, problem) => {
    expect(coerceAuth(declared, given)).toEqual({ problems: [problem] });
    expect(authProblems(declared, given)).toEqual([problem]);
  });
});

describe('authProblems', () => {
  it.each([
    [{ kind: 'none' } as const, undefined],
    [secretText, "{{connections['key']}}"],
    [customAuth, "{{connections['server']}}"],
    [customAuth, { port: '{{step.port}}' }],
  ])('has none for %j: %j', (declared, written) => expect(authProblems(declared, written)).toEqual([]));
});
