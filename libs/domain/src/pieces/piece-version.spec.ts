import { compareByChoice, compareVersions, isVersionRange, versionFor } from './piece-version';

const VERSIONS = ['0.9.0', '0.10.2', '0.10.11', '1.2.0', '1.10.0', '2.0.0'];

describe('the version of a piece for a wanted one', () => {
  it.each([
    ['1.2.0', '1.2.0'],
    ['~0.10.0', '0.10.11'],
    ['^0.10.0', '0.10.11'],
    ['~1.2.0', '1.2.0'],
    ['^1.0.0', '1.10.0'],
    ['^1.11.0', null],
    ['~0.10.12', null],
    ['1.3.0', null],
    ['', null],
    ['latest', null],
  ])('%s is %s', (wanted, found) => {
    expect(versionFor(wanted, VERSIONS)).toBe(found);
  });
});

describe('pre-releases', () => {
  const versions = ['1.0.0', '1.1.0-beta.1', '1.1.0-beta.2', '1.2.0-rc.1'];

  it.each([
    ['^1.0.0', '1.0.0'],
    ['~1.1.0', null],
    ['^1.1.0-beta.1', '1.1.0-beta.2'],
    ['~1.1.0-beta.2', '1.1.0-beta.2'],
    ['^1.1.0-beta.3', null],
    ['1.2.0-rc.1', '1.2.0-rc.1'],
  ])('are meant by %s only where it names one: %s', (wanted, found) => {
    expect(versionFor(wanted, versions)).toBe(found);
  });

  it('give way to the release that they came before', () => {
    expect(versionFor('^1.1.0-beta.1', [...versions, '1.1.0', '1.0.9'])).toBe('1.1.0');
  });

  it('may be in a range', () => {
    expect(['^1.1.0-beta.1', '~1.0.0', '1.1.0-beta.1', '^1.1.0-', '^1.1'].map(isVersionRange)).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
  });

  it('are ordered as semantic versioning says, whatever was built', () => {
    const ordered = [
      ...['1.0.0-1', '1.0.0-2', '1.0.0-10', '1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta'],
      ...['1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0', '1.0.1-x-y'],
    ];

    expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
    expect(compareVersions('1.0.0-rc.1+5', '1.0.0-rc.1+6')).toBe(0);
    expect(compareVersions('1.0.0+a-b', '1.0.0')).toBe(0);
  });

  it('are chosen where nothing is named only when there is no release', () => {
    expect(versions.toSorted(compareByChoice).at(-1)).toBe('1.0.0');
    expect(['1.2.0-rc.1', '1.1.0-beta.2'].toSorted(compareByChoice).at(-1)).toBe('1.2.0-rc.1');
  });
});

it('versions are ordered by their numbers', () => {
  expect(['1.10.0', '1.9.0', '0.20.0'].toSorted(compareVersions)).toEqual(['0.20.0', '1.9.0', '1.10.0']);
});
