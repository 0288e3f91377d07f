import { ApiProcess, GatewayProcess, ownDatabase, runApiCommand, serviceUnderTest } from '@millrace/e2e-support';

describe('apps on a database without the migrations of their release', () => {
  it('live and are not ready, until the migrations have run', async () => {
    const database = await ownDatabase(process.env);
    const { SVC_DATA_DIR = '', ...others } = serviceUnderTest().stores();
    const stores = { ...others, SVC_DATA_DIR, SVC_DATABASE_URL: database?.url ?? '' };
    const apps = [await ApiProcess.launch(stores), await GatewayProcess.launch(stores)];
    await Promise.all(apps.map((app) => app.untilLive()));
    const before = await Promise.all(apps.map((app) => app.isReady()));

    expect(await runApiCommand('migrate', { SVC_DATABASE_URL: stores.SVC_DATABASE_URL })).toBe(0);

    await Promise.all(apps.map((app) => app.untilReady()));
    expect(before).toEqual([false, false]);
    expect(await Promise.all(apps.map((app) => app.stop()))).toEqual([0, 0]);
    await database?.drop();
  });
});
