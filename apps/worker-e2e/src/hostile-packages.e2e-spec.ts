import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PieceWall } from '@millrace/domain';
import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { installPackage, ownRedisUrl, patience, type RunAnswer } from '@millrace/e2e-support';
import { endingBehind, PAST_NODE, type TargetsPastNode } from './testing/past-node';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';

const WITHIN_MS = 60_000 * patience;
const PIECE = { name: '@e2e/piece-hostile', version: '1.0.0' };
const SECRET = 'nobody-may-read-this-7a20';
const CLEAN = 'nothing is left';

/** An action that does whatever its input says, with all that a package has. */
const SOURCE = `
const frame = (message) => {
  const body = Buffer.from(JSON.stringify(message));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, body]);
};
const prop = (type) => ({ type, displayName: type, required: false });
const act = {
  name: 'act', displayName: 'Act', description: '', requireAuth: false,
  props: { program: { ...prop('LONG_TEXT'), required: true }, target: prop('JSON') },
  run: async (context) => {
    const work = new Function('context', 'require', 'frame', '__dirname', 'return (async () => {' + context.propsValue.program + '})()');
    return work(context, require, frame, __dirname);
  },
};
const actions = { act };
exports.hostile = {
  metadata: () => ({ displayName: 'Hostile', description: '', actions, triggers: {} }),
  actions: () => actions, triggers: () => ({}),
  getAction: (name) => actions[name], getTrigger: () => undefined,
  getContextInfo: () => ({ version: '2' }),
};`;

const RESTRICTED = /has been restricted/;
const LATE = 'await new Promise(() => setInterval(() => {}, 1000));';
const LOOK_AROUND = `return globalThis.left ?? ({}).left ?? ${JSON.stringify(CLEAN)};`;

/** Programs that harm their process, and what is said of their step. */
const HARMFUL: readonly (readonly [name: string, program: string, message: RegExp])[] = [
  ['loops', 'for (;;);', /time limit of 5 s/],
  ['never ends', LATE, /time limit of 5 s/],
  ['fills the heap', 'const all = []; for (;;) all.push(new Array(1e5).fill(all.length));', /memory limit/],
  ['fills buffers', 'const all = []; for (;;) all.push(Buffer.alloc(8e6, 1));', /memory limit/],
  ['exits', 'process.exit(0);', /ended its process/],
  ['aborts', 'process.abort();', /memory limit|ended its process/],
  ['rejects later', `void Promise.reject(new Error("late")); ${LATE}`, /ended its process/],
  ['throws later', `setTimeout(() => { throw new Error("late"); }); ${LATE}`, /ended its process/],
  [
    'forges an answer',
    `require("fs").writeSync(3, frame({ type: "result", id: 999, value: 1, memoryMb: 1 })); ${LATE}`,
    /belongs to no call/,
  ],
  ['sends no message', `require("fs").writeSync(3, Buffer.from("ffffffffff", "hex")); ${LATE}`, /cannot be read/],
  [
    'forges that it asks for much at once',
    `const asks = Array.from({ length: 1e3 }, (_, n) => frame({ type: "ask", id: n % 8, ask: 1e4 + n, service: "store.get", args: ["a"] }));
    require("fs").writeSync(3, Buffer.concat(asks)); ${LATE}`,
    /asked for (more than a call may|too much after its call)/,
  ],
  ['asks without end', 'for (;;) await context.store.get("a");', /more than a call may|time limit of 5 s/],
];

/** Programs that only their own step notices. */
const BOTHERSOME: readonly (readonly [name: string, program: string, ending: string | RegExp])[] = [
  ['answers 60 MB', 'return "x".repeat(60e6);', /longer than/],
  ['answers a cycle', 'const a = {}; a.a = a; return a;', /no JSON: .*circular/],
  ['answers a BigInt', 'return 1n;', /no JSON: .*BigInt/],
  ['answers a Buffer', 'return Buffer.from("ab");', '{"type":"Buffer","data":[97,98]}'],
  ['answers a large Buffer', 'return Buffer.alloc(20e6);', /longer than|values|memory limit/],
  ['answers a prototype', 'return JSON.parse(\'{"__proto__":{"left":"of another"}}\');', ''],
  [
    'prints 100 MB',
    'const text = "y".repeat(1e6); for (let i = 0; i < 100; i++) await new Promise((done) => process.stdout.write(text, done)); return "done";',
    '"done"',
  ],
  [
    'asks for much at once',
    'await Promise.all(Array.from({ length: 500 }, () => context.store.get("a"))); return "got";',
    '"got"',
  ],
  ['leaves timers', 'setInterval(() => context.store.get("a").catch(() => {}), 1); return "left";', '"left"'],
];

/** What a package may look for, and how it is refused. */
const LOOKS: readonly (readonly [name: string, program: string, refusal: RegExp])[] = [
  ['files', 'return require("fs").readFileSync("/etc/passwd", "utf8");', RESTRICTED],
  ['the root', 'return require("fs").readdirSync("/");', RESTRICTED],
  ['other packages', 'return require("fs").readdirSync(require("path").join(__dirname, "../.."));', RESTRICTED],
  [
    'the environment',
    'const { PATH, HOME, TZ, PWD, ...more } = process.env; throw Object.keys(more).join() || "none";',
    /^none$/,
  ],
  ['its parent', 'return require("fs").readFileSync("/proc/" + process.ppid + "/environ", "utf8");', RESTRICTED],
  ['processes', 'return require("fs").readdirSync("/proc");', RESTRICTED],
  ['children', 'return String(require("child_process").execSync("id"));', RESTRICTED],
  ['threads', 'return new (require("worker_threads").Worker)("1", { eval: true }).threadId;', RESTRICTED],
  [
    'native code',
    'process.dlopen({ exports: {} }, "/usr/lib/x86_64-linux-gnu/libc.so.6"); return 1;',
    /addons is disabled/,
  ],
  ['a raw socket', 'return String(new (process.binding("tcp_wrap").TCP)(0));', /process\.binding/],
  ['datagrams', 'return require("dgram").createSocket("udp4") && "a socket";', /^Datagrams cannot be sent/],
];

const CONNECT =
  'return new Promise((done, fail) => require("net").connect(target.port, target.host, () => done("connected")).on("error", fail));';
const LOOK_AT_SOCKETS = 'return typeof require("net").Socket.prototype.connect;';
/** Ways to a server. The last one harms its process, so that no other call may have it. */
const WAYS: readonly (readonly [name: string, program: string, refusal: RegExp])[] = [
  ['net', CONNECT, /^The target is not allowed/],
  [
    'fetch',
    'return fetch("http://" + target.host + ":" + target.port).then(() => 1, ({ cause }) => { throw cause; });',
    /^The target is not allowed/,
  ],
  ['net without its patch', `delete require("net").Socket.prototype.connect; ${CONNECT}`, /connect is not a function/],
];

interface Machine {
  pieceIsolation: readonly PieceWall[] | null;
}

describe('a package that is hostile', () => {
  let targets: ServiceWithTargets;
  let flowId: string;
  let neighbour: { projectId: string; flowId: string; runs: Promise<RunAnswer>[] };

  beforeAll(async () => {
    targets = await ServiceWithTargets.start({
      SVC_SSRF_ALLOW_LIST: '',
      SVC_PIECE_MEMORY_LIMIT: '256',
      SVC_PIECE_TIMEOUT_SECONDS: '5',
      SVC_PIECE_HOSTS: '4',
    });
    const { client } = targets.service;
    await installPackage(client, PIECE.name, SOURCE);
    flowId = await publish(targets.project);
    const projectId = await client.createProject('Neighbour');
    neighbour = { projectId, flowId: await publish(projectId), runs: [] };
    await targets.connect('vault', 'SECRET_TEXT', { secret_text: SECRET });
  });
  /** A flow of another project calls the same package all the while. */
  beforeEach(async () => void neighbour.runs.push(start(neighbour.flowId, { program: LOOK_AROUND })));
  afterAll(async () => {
    const ended = await Promise.all(neighbour.runs);
    expect(await targets.service.stop()).toBe(0);
    expect(new Set(ended.map(endingOf))).toEqual(new Set([JSON.stringify(CLEAN)]));
  });

  async function publish(projectId: string): Promise<string> {
    const step = pieceStep('act', { program: '{{ trigger.body.program }}', target: '{{ trigger.body.target }}' });
    const settings = { ...step.settings, pieceName: PIECE.name, pieceVersion: PIECE.version, actionName: 'act' };
    const trigger = webhookTrigger([{ ...step, settings }]);
    return (await targets.service.client.publishFlow(projectId, 'Hostile', trigger)).id;
  }

  async function start(flow: string, body: { program: string; target?: object }): Promise<RunAnswer> {
    const { client } = targets.service;
    return client.endedRun((await client.sendWebhook(flow, { target: {}, ...body })).body.id, WITHIN_MS);
  }

  const act = (program: string, target = {}): Promise<RunAnswer> => start(flowId, { program, target });

  /** The output of the step as JSON, or why it failed. */
  const endingOf = ({ steps, failedStep }: RunAnswer): string =>
    failedStep ? String(failedStep.message) : JSON.stringify(steps?.['act']?.output);

  it.each(HARMFUL)('that %s fails one step, and its process is not used again', async (_name, program, message) => {
    const run = await act(`globalThis.left = 'harmed'; ${program}`);

    expect([run.status, endingOf(run)]).toEqual(['FAILED', expect.stringMatching(message)]);
    expect(endingOf(await act(LOOK_AROUND))).toBe(JSON.stringify(CLEAN));
  });

  it.each(BOTHERSOME)('that %s is noticed by no other project', async (_name, program, ending) => {
    const run = await act(program);
    await neighbour.runs.at(-1);

    if (typeof ending === 'string')
      expect([run.status, endingOf(run)]).toEqual(['SUCCEEDED', expect.stringContaining(ending)]);
    else expect([run.status, endingOf(run)]).toEqual(['FAILED', expect.stringMatching(ending)]);
    expect(endingOf(await start(neighbour.flowId, { program: LOOK_AROUND }))).toBe(JSON.stringify(CLEAN));
  });

  it('that pollutes prototypes is not noticed by its own next calls', async () => {
    const pollute = 'Object.prototype.left = "polluted"; Array.prototype.map = null; return 1;';

    expect(endingOf(await act(pollute))).toBe('1');
    expect(endingOf(await act(LOOK_AROUND))).toBe(JSON.stringify(CLEAN));
  });

  it.each(LOOKS)('that looks for %s finds nothing', async (_name, program, refusal) => {
    const run = await act(program);

    expect([run.status, endingOf(run)]).toEqual(['FAILED', expect.stringMatching(refusal)]);
  });

  it.each(WAYS)(
    'that calls stores, services and the metadata address by %s is refused',
    async (_name, program, refusal) => {
      const portOf = (url: string): number => Number(new URL(url).port);
      const { service } = targets;
      const redis = ownRedisUrl(process.env);
      const local = [service.databaseUrl, service.client.baseUrl, ...(redis ? [redis] : [])].map(portOf);
      const all = [...local.map((port) => ({ host: '127.0.0.1', port })), { host: '169.254.169.254', port: 80 }];
      for (const target of all) {
        const run = await act(`const { target } = context.propsValue; ${program}`, target);

        expect([target, run.status, endingOf(run)]).toEqual([target, 'FAILED', expect.stringMatching(refusal)]);
        expect(endingOf(await act(LOOK_AT_SOCKETS))).toBe('"function"');
      }
    },
  );

  describe('and gets past Node.js', () => {
    let folder: string;
    let local: Server;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'local-'));
      local = createServer((socket) => void socket.on('error', () => undefined).end());
      await new Promise<void>((resolve) => local.listen(join(folder, 'open.sock'), resolve));
      chmodSync(folder, 0o755);
      chmodSync(join(folder, 'open.sock'), 0o777);
    });
    afterAll(() => {
      local.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const wallsOfWorker = (): Promise<readonly PieceWall[]> =>
      until('The word of the worker about its walls', async () => {
        const { client } = targets.service;
        const { data } = await client.must<{ data: Machine[] }>('GET', '/worker-machines');
        return data.find(({ pieceIsolation }) => pieceIsolation !== null)?.pieceIsolation ?? undefined;
      });

    it.each(PAST_NODE.map((each) => [each.does, each] as const))(
      'and %s is held by walls, or by none where the machine has none',
      async (_does, each) => {
        const { databaseUrl } = targets.service;
        const target: TargetsPastNode = {
          ...{ port: Number(new URL(databaseUrl).port), path: join(folder, 'open.sock') },
          worker: targets.service.pidOf('worker'),
        };

        const run = await act(each.program, target);

        expect(run).toMatchObject({ status: 'SUCCEEDED' });
        expect(JSON.parse(endingOf(run))).toMatch(endingBehind(await wallsOfWorker(), each));
      },
    );
  });

  it('gets no connection and no file of another project', async () => {
    const connection = { externalId: 'theirs', displayName: 'Theirs', type: 'SECRET_TEXT' };
    const value = { secret_text: 'of the neighbour' };
    await targets.service.client.must('POST', '/connections', { ...connection, value, projectId: neighbour.projectId });
    const lookUp = 'return (await context.connections.get("theirs"))?.secret_text.length ?? null;';
    const write = 'return context.files.write({ fileName: "a.txt", data: Buffer.from("of the neighbour") });';
    const url = endingOf(await start(neighbour.flowId, { program: write }));
    const read = `
      const { origin } = new URL(context.server.apiUrl);
      const headers = { authorization: "Bearer " + context.server.token };
      return (await fetch(origin + new URL(${url}).pathname, { headers })).status;`;

    expect(endingOf(await start(neighbour.flowId, { program: lookUp }))).toBe('16');
    expect([endingOf(await act(lookUp)), endingOf(await act(read))]).toEqual(['null', '404']);
  });

  it('reads no store of another project', async () => {
    await start(neighbour.flowId, { program: 'return context.store.put("key", "of the neighbour", "COLLECTION");' });

    expect(endingOf(await act('return context.store.get("key", "COLLECTION");'))).toBe('null');
    const read = await start(neighbour.flowId, { program: 'return context.store.get("key", "COLLECTION");' });
    expect(endingOf(read)).toBe('"of the neighbour"');
  });

  it.each([
    ['prints', 'console.log(secret); console.error({ secret }); return "printed";'],
    ['throws', 'throw new Error("Not with " + secret);'],
    ['answers with', 'return { deep: [{ secret }] };'],
    ['ends its process with', 'process.stderr.write(secret, () => process.exit(1)); await new Promise(() => {});'],
  ])('shows nobody the secret that it %s', async (_how, program) => {
    const run = await act(`const secret = (await context.connections.get('vault')).secret_text; ${program}`);

    expect(JSON.stringify(run)).toContain('**REDACTED**');
    expect(JSON.stringify(run)).not.toContain(SECRET);
  });
});
