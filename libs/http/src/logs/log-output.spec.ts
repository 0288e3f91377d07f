import fs, { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogOutput } from './log-output';

const fullDisk = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });

describe('LogOutput', () => {
  let folder: string;
  let fd: number;
  const told: string[] = [];
  const written = (): string[] => readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean);

  beforeEach(() => {
    told.length = 0;
    folder = mkdtempSync(join(tmpdir(), 'log-output-'));
    fd = openSync(join(folder, 'log'), 'a');
  });

  afterEach(() => {
    jest.restoreAllMocks();
    closeSync(fd);
    rmSync(folder, { recursive: true });
  });

  it('loses lines on a full disk, says so once, and goes on when there is room', () => {
    const output = new LogOutput(fd, (text) => told.push(text));
    output.write('before\n');

    const write = jest.spyOn(fs, 'writeSync').mockImplementation(() => {
      throw fullDisk;
    });
    for (let n = 0; n < 1_000; n++) output.write(`lost ${n}\n`);
    write.mockRestore();
    output.write('after\n');

    expect(written()).toEqual(['before', 'after']);
    expect(told).toEqual([
      expect.stringContaining('cannot be written, its lines are lost: ENOSPC'),
      'The log is written again; 1000 lines were lost.',
    ]);
  });

  it('keeps a line that was cut short from the next one', () => {
    const output = new LogOutput(fd, (text) => told.push(text));
    const write = fs.writeSync;
    let calls = 0;
    jest.spyOn(fs, 'writeSync').mockImplementation((to: number, text: string) => {
      calls += 1;
      if (calls === 1) return write(to, text.slice(0, 3));
      if (calls === 2) throw fullDisk;
      return write(to, text);
    });

    output.write('lost line\n');
    output.write('next line\n');

    expect(written()).toEqual(['los', 'next line']);
  });
});
