import { grants, isAtLeast, PERMISSIONS, PROJECT_ROLES } from './permissions';

// The table of the contract, as it is printed there.
const TABLE = `
  READ_FLOW READ_FOLDER READ_RUN READ_CONNECTION READ_PROJECT READ_MEMBER                  | ADMIN EDITOR OPERATOR VIEWER
  UPDATE_FLOW_STATUS WRITE_RUN WRITE_CONNECTION                                            | ADMIN EDITOR OPERATOR
  WRITE_FLOW WRITE_FOLDER                                                                  | ADMIN EDITOR
  WRITE_PROJECT WRITE_MEMBER WRITE_API_KEY READ_AUDIT WRITE_EVENT_DESTINATION              | ADMIN`;

const rows = TABLE.trim()
  .split('\n')
  .map((line) => line.split('|').map((side) => side.trim().split(' ')) as [string[], string[]]);

describe('a role', () => {
  it.each(PROJECT_ROLES)('%s has the permissions that the table gives it and no others', (role) => {
    const expected = rows.filter(([, roles]) => roles.includes(role)).flatMap(([permissions]) => permissions);
    expect(PERMISSIONS.filter((permission) => grants(role, permission)).sort()).toEqual(expected.sort());
  });

  it('has no permission that does not exist', () => {
    expect(grants('ADMIN', 'READ_EVERYTHING' as never)).toBe(false);
  });

  it('is at least as high as itself and the roles below it', () => {
    expect(PROJECT_ROLES.filter((role) => isAtLeast('EDITOR', role))).toEqual(['VIEWER', 'OPERATOR', 'EDITOR']);
  });
});
