import { permitted, type DomainError, type Principal, type ProjectRepository } from '@millrace/domain';
import { aPrincipal } from '@millrace/domain/testing';
import { ProjectAccess } from './project-access';

describe('ProjectAccess', () => {
  const existing = jest.fn((ids: readonly string[]) => Promise.resolve(new Set(ids.filter((id) => id === 'p1'))));
  const access = new ProjectAccess({ existing } as unknown as ProjectRepository);
  const member = permitted(aPrincipal({ p1: 'EDITOR', p2: 'VIEWER' }), 'WRITE_FLOW');

  it.each([
    ['a project in which the role grants it', member, 'p1', undefined],
    ['a project in which the role does not', member, 'p2', 'PERMISSION_DENIED'],
    ['a project without a role', member, 'p3', 'AUTHORIZATION'],
    ['any project, to an administrator', permitted(aPrincipal('ADMIN'), 'WRITE_FLOW'), 'p1', undefined],
    ['an unknown project, to an administrator', permitted(aPrincipal('ADMIN'), 'WRITE_FLOW'), 'p4', 'ENTITY_NOT_FOUND'],
    [
      'a project, to a role everywhere that lacks it',
      permitted(aPrincipal('VIEWER'), 'WRITE_FLOW'),
      'p1',
      'PERMISSION_DENIED',
    ],
  ])('judges %s', async (_what, principal, projectId, code) => {
    const refusal = await access.assertPermitted(principal, projectId).then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
    expect(refusal).toBe(code);
  });

  it('judges many at once', async () => {
    const admin = permitted(aPrincipal('ADMIN'), 'WRITE_FLOW');
    const uses = [member, admin].flatMap((principal) => ['p1', 'p9'].map((projectId) => ({ principal, projectId })));
    existing.mockClear();
    expect((await access.refusalsOf([...uses, ...uses])).map((refusal) => refusal?.code ?? null)).toEqual([
      ...[null, 'AUTHORIZATION', null, 'ENTITY_NOT_FOUND'],
      ...[null, 'AUTHORIZATION', null, 'ENTITY_NOT_FOUND'],
    ]);
    expect(existing.mock.calls).toEqual([[['p1', 'p9']]]);
  });

  it('takes the only project of the caller, and refuses it when the role does not suffice', async () => {
    const viewer = permitted(aPrincipal({ p1: 'VIEWER' }), 'WRITE_FLOW');
    expect(await access.projectOf(permitted(aPrincipal({ p1: 'VIEWER' }), 'READ_FLOW'), undefined)).toBe('p1');
    await expect(access.projectOf(viewer, undefined)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await expect(access.projectOf(member, null)).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('refuses a request about no project when no role grants the permission', () => {
    const refusalOf = (principal: Principal): unknown => {
      try {
        return access.assertPermittedSomewhere(permitted(principal, 'WRITE_FLOW'));
      } catch (error) {
        return (error as DomainError).params;
      }
    };
    const permission = 'WRITE_FLOW';
    expect(refusalOf(aPrincipal({ p1: 'VIEWER', p2: 'VIEWER' }))).toEqual({ permission, projectId: 'p1' });
    expect(refusalOf(aPrincipal('VIEWER'))).toEqual({ permission });
    expect(() => access.assertPermittedSomewhere(member)).not.toThrow();
  });
});
