import {
  hasDependencies,
  isExactVersion,
  isFromRegistry,
  isPackageName,
  isVersionRange,
  readDependencies,
} from './dependencies';

describe('hasDependencies', () => {
  it.each([
    ['{"dependencies":{"slug":"^1.0.0"}}', true],
    ['{"dependencies":{}}', false],
    ['{"devDependencies":{"slug":"^1.0.0"}}', false],
    ['{"dependencies":{"problem":"1.0.0"}}', true],
    ['', false],
    ['not JSON', false],
    ['{"dependencies":{"slug":"file:/etc"}}', false],
  ])('says of %j: %s', (packageJson, answer) => {
    expect(hasDependencies(packageJson)).toBe(answer);
  });
});

describe('isVersionRange', () => {
  it.each([
    '1.2.3',
    'v1.2.3',
    '^1.2.3',
    '~1.2',
    '1.x',
    '*',
    '',
    '>=1.2.3 <2',
    '1.2.3 - 2.3',
    '^1 || ^2.0.0-rc.1',
    '> 1',
    '1.0.0+build',
  ])('takes %j', (range) => expect(isVersionRange(range)).toBe(true));

  it.each([
    '..',
    '.',
    './a',
    '~/a',
    '/etc',
    'latest',
    'a/b',
    'file:a',
    'http://a/b.tgz',
    'git+ssh://a/b',
    'npm:a@1',
    '1.2.3/..',
    'C:\\a',
    'a@1',
    '1.2.3 ..',
    'x/y',
    1,
    null,
  ])('refuses %j', (range) => expect(isVersionRange(range)).toBe(false));
});

describe('isPackageName', () => {
  it.each(['slug', '@scope/name', 'a'.repeat(214)])('takes %j', (name) => expect(isPackageName(name)).toBe(true));

  it.each(['', '..', '.a', '_a', 'a/b', '@scope', '@scope/', '@scope/../a', 'a b', 'a?b', 'a%2fb', 'a'.repeat(215)])(
    'refuses %j',
    (name) => expect(isPackageName(name)).toBe(false),
  );
});

describe('isExactVersion', () => {
  it.each(['1.2.3', '0.0.0', '1.2.3-beta.1', '1.2.3+build.5', '1.2.3-x-y.0+b'])('takes %j', (version) =>
    expect(isExactVersion(version)).toBe(true),
  );

  it.each(['', '1', '1.2', '^1.2.3', 'v1.2.3', '1.2.x', '1.2.3 ', '1.2.3-', '1.2.3-a..b', '1.2.3/..', 'latest', '*'])(
    'refuses %j',
    (version) => expect(isExactVersion(version)).toBe(false),
  );
});

describe('isFromRegistry', () => {
  it.each(['^1.0.0', 'latest', 'npm:other@^4.0.0', 'npm:@scope/other@1', 'npm:other'])('takes %j', (wanted) =>
    expect(isFromRegistry(wanted)).toBe(true),
  );

  it.each([
    '..',
    'a/b',
    'file:../a',
    'link:a',
    'git://a/b',
    'git@host:a/b',
    'https://a/b.tgz',
    'npm:a@http://b',
    'npm:../a@1',
    'npm:a@npm:b',
    'workspace:*',
    {},
  ])('refuses %j', (wanted) => expect(isFromRegistry(wanted)).toBe(false));
});

describe('readDependencies', () => {
  it('names the dependency that is none of the registry', () => {
    expect(readDependencies('{"dependencies":{"good":"1.0.0","bad":".."}}')).toEqual({
      problem:
        'The dependency "bad" is not a package and version of the registry; write a version like "1.2.3" or "^1.2.3".',
    });
  });
});
