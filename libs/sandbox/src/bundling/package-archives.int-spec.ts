import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeRegistry } from '../testing/fake-registry';
import { PackageArchives, type PackageArchivesOptions } from './package-archives';
import { PackageFetchError } from './package-fetch-error';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('PackageArchives', () => {
  let registry: FakeRegistry;
  /** Another server of the machine, which nothing may ask. */
  let internal: Server;
  let internalRequests: string[];
  const made: PackageArchives[] = [];

  beforeEach(async () => {
    internalRequests = [];
    registry = await FakeRegistry.start();
    internal = createServer(({ url = '' }, response) => {
      internalRequests.push(url);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(internal, 'listening');
  });
  afterEach(async () => {
    for (const archives of made.splice(0)) archives.close();
    await registry.close();
    internal.close();
  });

  function archivesWith(options: PackageArchivesOptions = {}): PackageArchives {
    const archives = new PackageArchives({ registry: registry.settings, ...options });
    made.push(archives);
    return archives;
  }

  const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const fetchOne = (name: string, limits?: PackageArchivesOptions['limits'], version = '1.0.0') =>
    archivesWith({ limits }).fetch({ name, version });
  const failure = (message: string, isTransient = false) =>
    expect.objectContaining({ constructor: PackageFetchError, message, isTransient }) as Error;

  /** Answers with the document of a package whose archive is at `tarball`. */
  const documentWith =
    (tarball: string, dist: object = {}): RequestListener =>
    (_request, response) =>
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ versions: { '1.0.0': { dist: { tarball, ...dist } } } }));
  const redirectTo =
    (location: string): RequestListener =>
    (_request, response) =>
      response.writeHead(302, { location }).end();

  it.each(['slug', '@scope/name'])(
    'fetches the archive of %s, asking for the short form of its document',
    async (name) => {
      registry.add(name);

      const archive = await fetchOne(name);

      expect(archive).toEqual(registry.archiveOf(name));
      expect(registry.asked).toEqual([name, `${name}/-/archive.tgz`]);
      expect(registry.accepted[0]).toMatch(/^application\/vnd\.npm\.install-v1\+json/);
    },
  );

  it('says what the registry does not have', async () => {
    registry.add('slug').answerWith('gone', documentWith(`${registry.url}gone/-/archive.tgz`));

    await expect(fetchOne('unknown')).rejects.toEqual(failure('The registry has no package unknown.'));
    await expect(fetchOne('slug', {}, '1.0.1')).rejects.toEqual(failure('The registry has no version 1.0.1 of slug.'));
    await expect(fetchOne('gone')).rejects.toEqual(failure('The registry has no archive of gone 1.0.0.'));
  });

  it('asks nothing when what is wanted is no package, or no exact version', async () => {
    await expect(fetchOne('../slug')).rejects.toEqual(failure('That is not the name of a package.'));
    await expect(fetchOne('slug', {}, '^1.0.0')).rejects.toEqual(
      failure('Name an exact version of slug, such as 1.2.3.'),
    );

    expect(registry.asked).toEqual([]);
  });

  it('asks for no archive at another origin', async () => {
    registry.answerWith('stray', documentWith(`${addressOf(internal)}stray.tgz`));

    await expect(fetchOne('stray')).rejects.toEqual(failure('The archive of stray 1.0.0 is not at the registry.'));

    expect(internalRequests).toEqual([]);
  });

  it('follows a redirect within the registry, but none out of it, and no more than five', async () => {
    registry
      .add('slug')
      .answerWith('moved', redirectTo('/slug'))
      .answerWith('stray', redirectTo(addressOf(internal)))
      .answerWith('stray-archive', documentWith(`${registry.url}stray-archive/-/archive.tgz`))
      .answerWith('stray-archive/-/archive.tgz', redirectTo(addressOf(internal)))
      .answerWith('endless', redirectTo('/endless'));

    expect(await fetchOne('moved')).toEqual(registry.archiveOf('slug'));
    await expect(fetchOne('stray')).rejects.toEqual(failure('The registry leads elsewhere for stray.'));
    await expect(fetchOne('stray-archive')).rejects.toEqual(
      failure('The registry leads elsewhere for stray-archive 1.0.0.'),
    );
    await expect(fetchOne('endless')).rejects.toEqual(failure('The registry leads elsewhere for endless.'));

    expect(internalRequests).toEqual([]);
    expect(registry.asked.filter((path) => path === 'endless')).toHaveLength(6);
  });

  it('reads no more of a document or an archive than the limits allow', async () => {
    registry.add('large', { description: 'x'.repeat(1_000) });

    await expect(fetchOne('large', { documentBytes: 1_000 })).rejects.toEqual(
      failure('The document of large is larger than 1000 bytes.'),
    );
    await expect(fetchOne('large', { archiveBytes: 100 })).rejects.toEqual(
      failure('The archive of large 1.0.0 is larger than 100 bytes.'),
    );
  });

  it('stops reading an answer that has no end', async () => {
    const chunk = Buffer.alloc(64 * 1024);
    registry.answerWith('endless', (_request, response) => {
      const more = () => response.writable && response.write(chunk, more);
      more();
    });

    await expect(fetchOne('endless', { documentBytes: 1_000_000 })).rejects.toEqual(
      failure('The document of endless is larger than 1000000 bytes.'),
    );
  });

  it('ends when the registry does not answer in time', async () => {
    await expect(fetchOne('held', { timeMs: 500 })).rejects.toEqual(
      failure('The registry took longer than 0.5 s.', true),
    );
  });

  it('ends with its caller, and when it is closed', async () => {
    const caller = new AbortController();
    const archives = archivesWith();
    const first = archives.fetch({ name: 'held-1', version: '1.0.0' }, caller.signal);
    const second = archives.fetch({ name: 'held-2', version: '1.0.0' });
    const outcomes = Promise.allSettled([first, second]);
    await Promise.all([registry.heldRequest('held-1'), registry.heldRequest('held-2')]);

    caller.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    archives.close();
    await outcomes;

    const isClosed = failure('Packages are no longer fetched here.', true);
    await expect(second).rejects.toEqual(isClosed);
    await expect(archives.fetch({ name: 'slug', version: '1.0.0' })).rejects.toEqual(isClosed);
    expect(registry.asked).toEqual(expect.not.arrayContaining(['slug']));
  });

  it('says when the registry breaks off, or cannot be reached', async () => {
    registry
      .answerWith('broken', documentWith(`${registry.url}broken/-/archive.tgz`))
      .answerWith('broken/-/archive.tgz', (_request, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('half', () => response.destroy());
      })
      .answerWith('unheard', (request) => request.destroy());

    await expect(fetchOne('broken')).rejects.toEqual(failure('The registry broke off its answer.', true));
    await expect(fetchOne('unheard')).rejects.toEqual(failure('The registry cannot be reached.', true));
  });

  it.each([
    [503, true],
    [429, true],
    [403, false],
  ])('says when the registry answers %d; that passes: %s', async (status, isTransient) => {
    registry.answerWith('slug', (_request, response) => response.writeHead(status).end());

    await expect(fetchOne('slug')).rejects.toEqual(
      failure(`The registry answered ${status} when asked for slug.`, isTransient),
    );
  });

  it.each(['<html>', '[]', 'null', '{"versions":{"1.0.0":{}}}'])('is not misled by the document %s', async (text) => {
    registry.answerWith('odd', (_request, response) => response.writeHead(200, JSON_TYPE).end(text));

    await expect(fetchOne('odd')).rejects.toBeInstanceOf(PackageFetchError);
    await expect(fetchOne('odd', {}, '0.0.0')).rejects.toBeInstanceOf(PackageFetchError);
  });

  it.each([{ integrity: `sha512-${'A'.repeat(86)}==` }, { shasum: '0'.repeat(40) }])(
    'refuses an archive that does not have the hash %j',
    async (dist) => {
      registry.add('slug').answerWith('slug', documentWith(`${registry.url}slug/-/archive.tgz`, dist));

      await expect(fetchOne('slug')).rejects.toEqual(
        failure('The archive of slug 1.0.0 has another content than the registry says.'),
      );
    },
  );
});
