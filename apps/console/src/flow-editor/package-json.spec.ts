import { dependenciesOf, withDependencies } from './package-json';

describe('dependenciesOf', () => {
  it.each(['', '{}', '{"name": "x", "dependencies": {}}'])('finds no packages in %j', (text) => {
    expect(dependenciesOf(text)).toEqual([]);
  });

  it('finds packages in their order', () => {
    expect(dependenciesOf('{"dependencies": {"zod": "4.0.0", "dayjs": "^1.11.0"}}')).toEqual([
      { name: 'zod', version: '4.0.0' },
      { name: 'dayjs', version: '^1.11.0' },
    ]);
  });

  it.each(['{', '[]', 'null', '{"dependencies": []}', '{"dependencies": {"zod": 4}}', '{"dependencies": "zod"}'])(
    'cannot read %j',
    (text) => {
      expect(dependenciesOf(text)).toBeNull();
    },
  );
});

describe('withDependencies', () => {
  it('leaves what else the text says', () => {
    const text = withDependencies('{"name": "x", "dependencies": {"zod": "4.0.0"}}', [{ name: 'dayjs', version: '1' }]);
    expect(JSON.parse(text)).toEqual({ name: 'x', dependencies: { dayjs: '1' } });
  });

  it('leaves out packages without a name, and blanks', () => {
    const text = withDependencies('', [
      { name: ' ', version: '1' },
      { name: ' zod ', version: ' 4 ' },
    ]);
    expect(JSON.parse(text)).toEqual({ dependencies: { zod: '4' } });
  });

  it('takes any name for a name', () => {
    const text = withDependencies('{}', [{ name: '__proto__', version: '1' }]);
    expect(dependenciesOf(text)).toEqual([{ name: '__proto__', version: '1' }]);
  });
});
