/**
 * A bundling process without the plugin, so that esbuild resolves and reads as it likes. Tests use it to see what the
 * second wall, the permissions of the process, still refuses.
 */
import { readFileSync } from 'node:fs';
import { startEsbuild } from '../bundling/esbuild-without-files';

const [, , , esbuildPath = '', packages = '/'] = process.argv;
const esbuild = startEsbuild(esbuildPath);

process.on('message', ({ code, file }: { code: string; file: string }) => {
  void answer(code, file).then((text) => process.send?.({ text }));
});

async function answer(code: string, file: string): Promise<string> {
  const { build } = await esbuild;
  const built = await build({
    stdin: { contents: code, loader: 'ts', resolveDir: packages },
    bundle: true,
    write: false,
    format: 'cjs',
    logLevel: 'silent',
    loader: { '.txt': 'text', '.css': 'text' },
  }).catch((failure: Error) => failure.message);
  const text = typeof built === 'string' ? built : built.outputFiles.map((output) => output.text).join('\n');
  return `${text}\n${readOrRefusal(file)}\n${Object.keys(process.env).join()}`;
}

function readOrRefusal(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return (error as Error).message;
  }
}
