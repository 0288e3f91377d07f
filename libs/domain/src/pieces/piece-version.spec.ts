import { compareVersions, versionFor } from './piece-version';

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

it('versions are ordered by their numbers', () => {
  expect(['1.10.0', '1.9.0', '0.20.0'].toSorted(compareVersions)).toEqual(['0.20.0', '1.9.0', '1.10.0']);
});
