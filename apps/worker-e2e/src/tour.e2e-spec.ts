import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { patience, ServiceProcess } from '@millrace/e2e-support';
import { shellExamplesIn, type ShellExample } from './markdown-examples';

// Types the commands of the tour and of other guides into a shell, one shell for each page. The text below a command is
// what it prints. A command that only reads may be repeated until it prints that text, as the tour tells its readers:
// the run it reads may be under way.

const PAGES = ['tour.md', 'calling-flows.md', 'pieces.md'];
const BASE_URL = 'http://127.0.0.1:3000';
const API_KEY = `$(node -p 'require("./.data/credentials.json").apiKey')`;
const WITHIN_MS = 3_000 * patience;

/** A shell that keeps its variables from command to command. */
class Shell {
  private readonly bash: ChildProcessWithoutNullStreams = spawn('bash', [], { stdio: 'pipe' });
  private count = 0;

  constructor() {
    this.bash.stdout.setEncoding('utf8');
    this.bash.stdin.write('exec 2>&1\n');
  }

  /** Types the commands and returns what they print, including errors. */
  type(commands: string): Promise<string> {
    const mark = `end of command ${++this.count}`;
    return new Promise((resolve, reject) => {
      let printed = '';
      const listen = (text: string) => {
        printed += text;
        if (!printed.endsWith(`${mark}\n`)) return;
        this.bash.stdout.off('data', listen);
        this.bash.off('exit', ended);
        resolve(printed.slice(0, -mark.length - 1).trimEnd());
      };
      const ended = () => reject(new Error(`The shell ended:\n${printed}`));
      this.bash.stdout.on('data', listen);
      this.bash.once('exit', ended);
      this.bash.stdin.write(`${commands}\necho '${mark}'\n`);
    });
  }

  close(): void {
    this.bash.stdin.end();
  }
}

/** Returns the printed text in the form that the page shows. */
function shown(printed: string, { prints }: ShellExample): unknown {
  if (prints?.kind !== 'json') return printed;
  try {
    return JSON.parse(printed) as unknown;
  } catch {
    return printed;
  }
}

function expectedOf({ prints }: ShellExample): unknown {
  if (prints === null) return '';
  return prints.kind === 'json' ? (JSON.parse(prints.text) as unknown) : prints.text.trimEnd();
}

const onlyReads = ({ commands }: ShellExample): boolean => !/ -d /.test(commands);

describe('a guide', () => {
  let service: ServiceProcess;
  let apiKey: string;

  beforeAll(async () => {
    service = await ServiceProcess.start({ SVC_SSRF_ALLOW_LIST: '127.0.0.1' });
    const key = await service.client.must<{ value: string }>('POST', '/api-keys', { displayName: 'Tour' });
    apiKey = key.value;
  });

  afterAll(() => service.stop());

  describe.each(PAGES)('docs/%s', (page) => {
    const markdown = readFileSync(join(__dirname, '../../../docs', page), 'utf8');
    const examples = shellExamplesIn(markdown);
    let shell: Shell;

    beforeAll(() => {
      shell = new Shell();
    });

    afterAll(() => shell.close());

    it.each(examples.map((example) => [example.heading, example.line, example] as const))(
      'shows under "%s" what happens (line %i)',
      async (_heading, _line, example) => {
        const commands = example.commands.replace(BASE_URL, service.client.baseUrl).replace(API_KEY, apiKey);
        const deadline = Date.now() + WITHIN_MS;
        let printed = shown(await shell.type(commands), example);
        const isAsShown = () => JSON.stringify(printed) === JSON.stringify(expectedOf(example));
        while (onlyReads(example) && !isAsShown() && Date.now() < deadline)
          printed = shown(await shell.type(commands), example);

        expect(printed).toEqual(expectedOf(example));
      },
    );

    it('says where the service is and which key to use, once each', () => {
      expect(markdown.split(BASE_URL)).toHaveLength(2);
      expect(markdown.split(API_KEY)).toHaveLength(2);
      expect(examples.length).toBeGreaterThanOrEqual(8);
    });
  });
});
