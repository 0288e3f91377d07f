import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { VERSION } from './version';

it('the version that the service tells is that of the package', () => {
  const file = resolve(__dirname, '../../../../package.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ version: VERSION });
});
