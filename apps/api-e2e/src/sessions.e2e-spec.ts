import { randomUUID } from 'node:crypto';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface SignedIn {
  id: string;
  token: string;
  refreshToken: string | null;
  projectId: string | null;
}

const password = 'correct horse battery';

describe('sessions', () => {
  const service = serviceUnderTest();
  const admin = new ServiceClient(service.baseUrl, service.adminApiKey);
  const anyone = admin.withToken(null);
  const origin = service.baseUrl;

  const newUser = async (more: object = {}) => {
    const email = `${randomUUID()}@millrace.test`;
    const body = { email, password, firstName: 'Grace', lastName: 'Hopper', ...more };
    const { id } = await admin.must<{ id: string }>('POST', '/users', body);
    return { id, email };
  };
  const signIn = (email: string, more: object = {}) =>
    anyone.must<SignedIn>('POST', '/authentication/sign-in', { email, password, ...more });
  const refresh = (body: object, headers?: Record<string, string>) =>
    anyone.request<SignedIn & { code: string }>('POST', '/authentication/refresh', body, headers);
  const cookieOf = (headers: Headers) => headers.get('set-cookie')?.split(';', 1)[0] ?? '';

  it('go on with the refresh token of the last answer', async () => {
    const { id, email } = await newUser();
    const first = await signIn(email);

    const second = await refresh({ refreshToken: first.refreshToken });
    const third = await refresh({ refreshToken: second.body.refreshToken });

    expect([second.status, third.status]).toEqual([200, 200]);
    expect(new Set([first.refreshToken, second.body.refreshToken, third.body.refreshToken]).size).toBe(3);
    expect(await anyone.withToken(third.body.token).must('GET', '/users/me')).toMatchObject({ id, email });
  });

  it('begin with every form of an address, which no two users share', async () => {
    const name = randomUUID();
    const { email } = await newUser({ email: `Zo\u00eb-${name}@Millrace.test` });
    const sameAddress = `zoe\u0308-${name}@millrace\uff0etest`;
    const { id } = await signIn(sameAddress);

    const body = { password, firstName: 'Grace', lastName: 'Hopper' };
    const again = await admin.request('POST', '/users', { ...body, email: sameAddress });
    expect(again).toMatchObject({ status: 409, body: { code: 'ENTITY_EXISTS' } });
    expect(await admin.must('GET', '/users')).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ id, email: `zo\u00eb-${name}@millrace.test` }),
      ]) as object,
    });
    for (const unseen of ['\0', '\u200b', '\u202e', '\n'])
      expect(await admin.request('POST', '/users', { ...body, email: `${unseen}${email}` })).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION', params: { errors: [{ path: '/email' }] } },
      });
  });

  it('give the tabs of a browser that refresh at once the same next token', async () => {
    const { refreshToken } = await signIn((await newUser()).email);

    const answers = await Promise.all(Array.from({ length: 4 }, () => refresh({ refreshToken })));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.refreshToken)).size).toBe(1);
    expect((await refresh({ refreshToken: answers[0]?.body.refreshToken })).status).toBe(200);
  });

  it('end when somebody else uses a token again', async () => {
    const { refreshToken } = await signIn((await newUser()).email);
    const { body } = await refresh({ refreshToken });

    const stolen = await refresh({ refreshToken }, { 'user-agent': 'another program' });

    expect(stolen).toMatchObject({ status: 401, body: { code: 'INVALID_BEARER_TOKEN' } });
    expect((await refresh({ refreshToken: body.refreshToken })).status).toBe(401);
  });

  it('end with sign-out', async () => {
    const { refreshToken } = await signIn((await newUser()).email);
    expect((await anyone.request('POST', '/authentication/sign-out', { refreshToken })).status).toBe(204);
    expect((await refresh({ refreshToken })).status).toBe(401);
    expect((await refresh({ refreshToken: 'rt-nonsense' })).status).toBe(401);
    expect(await refresh({})).toMatchObject({
      status: 401,
      body: { params: { message: 'Neither the body nor a cookie has a refresh token.' } },
    });
  });

  it('can be in a cookie that pages cannot read, for requests of the same origin', async () => {
    const { email } = await newUser();
    const signedIn = await anyone.request<SignedIn>('POST', '/authentication/sign-in', {
      email,
      password,
      session: 'cookie',
    });
    expect(signedIn.body.refreshToken).toBeNull();
    expect(signedIn.headers.get('set-cookie')).toMatch(
      /^millrace_session=rt-[\w-]{43}; Path=\/api\/v1\/authentication; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    const cookie = cookieOf(signedIn.headers);

    for (const headers of [{ cookie }, { cookie, origin: 'https://evil.test' }] as Record<string, string>[])
      expect(await refresh({}, headers)).toMatchObject({ status: 403, body: { code: 'PERMISSION_DENIED' } });
    // The page may be at any name of the service, which listens at 127.0.0.1.
    const byName = new ServiceClient(origin.replace('127.0.0.1', 'localhost'), null);
    const refreshOf = (page: string) =>
      byName.request<SignedIn>('POST', '/authentication/refresh', undefined, { cookie, origin: page });
    expect((await refreshOf(origin)).status).toBe(403);
    const refreshed = await refreshOf(byName.baseUrl);
    expect(refreshed).toMatchObject({ status: 200, body: { refreshToken: null } });
    expect(cookieOf(refreshed.headers)).not.toBe(cookie);

    const left = await anyone.request('POST', '/authentication/sign-out', undefined, {
      cookie: cookieOf(refreshed.headers),
      origin,
    });
    expect(left.status).toBe(204);
    expect(cookieOf(left.headers)).toBe('millrace_session=');
    expect((await refresh({}, { cookie: cookieOf(refreshed.headers), origin })).status).toBe(401);
  });

  it('end with the user, and with them the keys and the roles of the user', async () => {
    const { id, email } = await newUser();
    const user = await signIn(email);
    const client = anyone.withToken(user.token);
    const project = await client.createProject('Of a user');
    const key = await client.must<{ value: string }>('POST', '/api-keys', { displayName: 'x', projectId: project });
    expect((await anyone.withToken(key.value).request('GET', '/projects')).status).toBe(200);

    const refused = await admin.request('DELETE', `/users/${id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'LAST_ADMINISTRATOR' } });
    expect(refused.body).toMatchObject({ params: { projectIds: [project] } });
    const other = await newUser();
    await admin.must('POST', '/project-members', { projectId: project, userId: other.id, role: 'ADMIN' });
    expect((await admin.request('DELETE', `/users/${id}`)).status).toBe(204);

    expect((await refresh({ refreshToken: user.refreshToken })).status).toBe(401);
    for (const token of [user.token, key.value])
      expect((await anyone.withToken(token).request('GET', '/projects')).status).toBe(401);
    const left = await admin.must<{ data: { userId: string }[] }>('GET', `/project-members?projectId=${project}`);
    expect(left.data.map(({ userId }) => userId)).toEqual([other.id]);
    expect((await admin.request('DELETE', `/users/${id}`)).status).toBe(404);
  });

  it('are not for everyone: signing up needs an invitation, for the same address, once', async () => {
    const email = `${randomUUID()}@millrace.test`;
    const body = { email, password, firstName: 'Ada', lastName: 'Lovelace' };
    const signUp = (more: object) =>
      anyone.request<SignedIn & { code: string }>('POST', '/authentication/sign-up', { ...body, ...more });
    expect(await anyone.must('GET', '/installation')).toMatchObject({ signUpEnabled: false });
    expect(await signUp({})).toMatchObject({ status: 403, body: { code: 'SIGN_UP_DISABLED' } });

    const projectId = await admin.createProject('With guests');
    const invite = (role: string) =>
      admin.must<{ id: string; token: string }>('POST', '/user-invitations', {
        email: email.toUpperCase(),
        projectId,
        role,
      });
    const { token: invitationToken } = await invite('EDITOR');
    expect((await signUp({ invitationToken, email: 'other@millrace.test' })).status).toBe(404);
    const signedUp = await signUp({ invitationToken });

    expect(signedUp).toMatchObject({ status: 201, body: { projectId, platformRole: 'MEMBER', email } });
    expect((await signUp({ invitationToken, email: `x${email}` })).status).toBe(404);
    const member = anyone.withToken(signedUp.body.token);
    await member.createFlow(projectId, 'Made by a guest');
    expect(await member.request('GET', `/api-keys?projectId=${projectId}`)).toMatchObject({ status: 403 });
    expect(
      await member.request('POST', '/user-invitations/accept', { token: (await invite('ADMIN')).token }),
    ).toMatchObject({
      status: 409,
      body: { code: 'ENTITY_EXISTS' },
    });
  });
});
