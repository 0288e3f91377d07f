import { pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { patience } from '@millrace/e2e-support';
import { ObjectStore } from './testing/object-store';
import { BUILT, S3_HOST, type BuiltPackage } from './testing/package-cases/built-packages';
import { connectPackage } from './testing/package-cases/connect-package';
import { describePublished } from './testing/package-cases/describe-published';
import { ServiceWithTargets } from './testing/service-with-targets';
import { until } from './testing/until';
import { VendorServer } from './testing/vendor-server';

const BUILD_MS = 240_000 * patience;
/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describePublished('published packages that need others', () => {
  let vendors: VendorServer;
  let store: ObjectStore;
  let targets: ServiceWithTargets;

  beforeAll(async () => {
    vendors = await VendorServer.start([S3_HOST, 'api.todoist.com']);
    store = await ObjectStore.start('files', vendors.certificate);
    const { SVC_OUTBOUND_CONNECT_TO: rules, ...settings } = vendors.settings;
    const others = `${rules}`.split(',').filter((rule) => !rule.startsWith(S3_HOST));
    targets = await ServiceWithTargets.start({
      ...settings,
      SVC_OUTBOUND_CONNECT_TO: [...others, `${S3_HOST}:443:127.0.0.1:${store.port}`].join(','),
    });
  });

  afterAll(async () => {
    expect(await targets.service.stop()).toBe(0);
    await store.stop();
    await vendors.stop();
  });

  /** Has the package built, which may take longer than a request waits. */
  const install = ({ piece, version }: BuiltPackage): Promise<{ status: number; body: unknown }> =>
    until('The build', async () => {
      const named = { name: `@activepieces/piece-${piece}`, version };
      const answer = await targets.service.client.request('POST', '/pieces', named);
      return answer.status === 503 ? undefined : answer;
    });

  async function installed(tried: BuiltPackage): Promise<void> {
    const { status, body } = await install(tried);
    expect([status < 300, body]).toEqual([true, expect.anything()]);
  }

  async function run(tried: BuiltPackage, steps: readonly (readonly [action: string, input: object])[]) {
    const { piece, version } = tried;
    const actions = steps.map(([actionName, input], at) => {
      const step = pieceStep(`step_${at + 1}`, { ...input });
      const pieceName = `@activepieces/piece-${piece}`;
      return { ...step, settings: { ...step.settings, pieceName, pieceVersion: version, actionName } };
    });
    const { client } = targets.service;
    const { id } = await client.publishFlow(targets.project, piece, webhookTrigger(actions));
    const { body } = await client.sendWebhook(id, {});
    const ended = await client.endedRun(body.id, 60_000 * patience);
    expect([ended.status, ended.failedStep]).toEqual(['SUCCEEDED', undefined]);
    return actions.map(({ name }) => ended.steps?.[name]?.output);
  }

  it(
    'write and read objects of Amazon S3, at the host name of a bucket',
    async () => {
      await installed(BUILT.amazonS3);
      const auth = await connectPackage(targets, BUILT.amazonS3);
      const file = `data:text/plain;base64,${Buffer.from('A lamp').toString('base64')}`;

      const [uploaded, read] = await run(BUILT.amazonS3, [
        ['upload-file', { auth, file, fileName: 'lamps/one', type: 'text/plain' }],
        ['read-file', { auth, key: '{{ step_1.fileName }}' }],
      ]);

      expect(uploaded).toMatchObject({ fileName: 'lamps/one.plain' });
      expect(store.read('lamps/one.plain')).toBe('A lamp');
      expect(await (await fetch(read as string)).text()).toBe('A lamp');

      const { connection, version } = BUILT.amazonS3;
      const about = { projectId: targets.project, displayName: 'S3', type: connection.type };
      const connect = (bucket: string) =>
        targets.service.client.request('POST', '/connections', {
          ...{ ...about, externalId: 'checked', pieceName: '@activepieces/piece-amazon-s3', pieceVersion: version },
          value: { props: { ...(connection.value as { props: object }).props, bucket } },
        });
      expect((await connect('files')).status).toBe(201);
      expect((await connect('absent')).status).toBe(400);
    },
    BUILD_MS,
  );

  it(
    'convert a picture by their native parts, where walls hold these',
    async () => {
      const { status, body } = await install(BUILT.imageHelper);
      if (status >= 300) {
        console.warn('This machine has no walls that hold native parts.');
        expect(JSON.stringify(body)).toContain('has native parts, which do not run on this worker');
        return;
      }
      const image = `data:image/png;base64,${PIXEL}`;

      const [converted] = await run(BUILT.imageHelper, [['convert_image_format', { image, outputFormat: 'AVIF' }]]);

      const { file } = converted as { file: string };
      const bytes = Buffer.from(await (await fetch(file)).arrayBuffer());
      expect(bytes.subarray(4, 12).toString()).toBe('ftypavif');
    },
    BUILD_MS,
  );

  it(
    'call their vendors, in the context of the oldest version',
    async () => {
      await installed(BUILT.todoist);
      const auth = await connectPackage(targets, BUILT.todoist);
      vendors.answer('api.todoist.com/rest/v2/tasks', { id: '1', content: 'Buy a lamp' });
      vendors.answer('api.todoist.com/rest/v2/projects', [{ id: 'p1', name: 'Home' }]);

      const [task] = await run(BUILT.todoist, [['create_task', { auth, project_id: 'p1', content: 'Buy a lamp' }]]);

      expect(task).toMatchObject({ id: '1', content: 'Buy a lamp' });
      expect(vendors.callsOf('api.todoist.com')).toMatchObject([
        { method: 'POST', credentials: 'Bearer token-todoist', body: expect.stringContaining('"project_id":"p1"') },
      ]);
      const asked = await targets.service.client.request('POST', '/pieces/options', {
        ...{
          projectId: targets.project,
          pieceName: '@activepieces/piece-todoist',
          pieceVersion: BUILT.todoist.version,
        },
        ...{ name: 'create_task', propName: 'project_id', input: { auth } },
      });
      expect(asked.body).toMatchObject({ options: [{ label: 'Home', value: 'p1' }] });
    },
    BUILD_MS,
  );
});
