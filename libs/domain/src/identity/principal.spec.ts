import { aPrincipal } from '../testing/a-principal';
import { PERMISSIONS } from './permissions';
import { mayIn, permissionsIn, permitted, projectsWithRole, roleIn } from './principal';

describe('a principal', () => {
  const member = aPrincipal({ p1: 'ADMIN', p2: 'VIEWER', p3: 'EDITOR' });

  it('may use the projects whose role grants what the request needs', () => {
    expect(permitted(member, 'WRITE_FLOW')).toMatchObject({ permission: 'WRITE_FLOW', projectIds: ['p1', 'p3'] });
    expect(permitted(member, 'READ_FLOW').projectIds).toEqual(['p1', 'p2', 'p3']);
    expect(permitted(aPrincipal({}), 'READ_FLOW').projectIds).toEqual([]);
  });

  it('with a role in every project may use all projects or none', () => {
    expect(permitted(aPrincipal('ADMIN'), 'WRITE_API_KEY').projectIds).toBe('any');
    expect(permitted(aPrincipal('VIEWER'), 'WRITE_API_KEY').projectIds).toEqual([]);
  });

  it('is told what its role grants in each project', () => {
    const viewer = ['READ_FLOW', 'READ_FOLDER', 'READ_RUN', 'READ_CONNECTION', 'READ_PROJECT', 'READ_MEMBER'];
    expect(permissionsIn(member, 'p2')).toEqual(viewer);
    expect(permissionsIn(permitted(member, 'WRITE_MEMBER'), 'p2')).toEqual(viewer);
    expect(permissionsIn(aPrincipal('ADMIN'), 'any')).toEqual(PERMISSIONS);
    expect(permissionsIn(member, 'p4')).toEqual([]);
  });

  it('keeps its roles when it is limited', () => {
    const limited = permitted(member, 'WRITE_MEMBER');
    expect(projectsWithRole(limited)).toEqual(['p1', 'p2', 'p3']);
    expect([roleIn(limited, 'p2'), roleIn(limited, 'p4')]).toEqual(['VIEWER', null]);
    expect([mayIn(limited, 'p2', 'READ_RUN'), mayIn(limited, 'p2', 'WRITE_RUN')]).toEqual([true, false]);
  });
});
