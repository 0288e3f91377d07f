import { spawn, type ChildProcess } from 'node:child_process';
import os from 'node:os';
import { lowerPriority } from './lower-priority';

const refused = (code: string) => Object.assign(new Error(`setpriority returned ${code}`), { info: { code } });

describe('lowerPriority', () => {
  let child: ChildProcess;

  beforeEach(() => {
    child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
    os.setPriority(child.pid!, 11);
  });

  afterEach(() => {
    jest.restoreAllMocks();
    child.kill('SIGKILL');
  });

  it('lowers a priority and never raises it', () => {
    lowerPriority(10, child.pid);
    expect(os.getPriority(child.pid)).toBe(11);
    lowerPriority(12, child.pid);
    expect(os.getPriority(child.pid)).toBe(12);
  });

  it.each(['EACCES', 'EPERM'])('leaves it as it is where the system refuses (%s)', (code) => {
    jest.spyOn(os, 'setPriority').mockImplementation(() => {
      throw refused(code);
    });
    lowerPriority(12, child.pid);
    expect(os.getPriority(child.pid)).toBe(11);
  });

  it('tells other errors', () => {
    jest.spyOn(os, 'getPriority').mockImplementation(() => {
      throw refused('ESRCH');
    });
    expect(() => lowerPriority(12, child.pid)).toThrow('ESRCH');
  });
});
