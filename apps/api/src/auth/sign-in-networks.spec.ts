import type { AuditLog, ProjectRepository, UserInvitationRepository, UserRepository } from '@millrace/domain';
import { HandDrivenClock, InMemorySignInAttempts } from '@millrace/domain/testing';
import { AuthenticationService } from './authentication.service';
import type { Sessions } from './sessions';
import { SignUpService } from './sign-up.service';

describe('the addresses of an IPv6 network', () => {
  const attempts = new InMemorySignInAttempts();
  const clock = new HandDrivenClock();
  const users = { existAny: () => Promise.resolve(true), findByEmail: () => Promise.resolve(null) };
  const signUps = new SignUpService(
    users as unknown as UserRepository,
    {} as ProjectRepository,
    {} as UserInvitationRepository,
    attempts,
    {} as Sessions,
    clock,
    { SVC_SIGN_UP_ENABLED: false },
  );
  const signIns = new AuthenticationService(
    users as unknown as UserRepository,
    attempts,
    {} as Sessions,
    {} as AuditLog,
    clock,
  );
  const names = { firstName: 'Ada', lastName: 'Lovelace' };
  const signUp = (n: number, address: string) =>
    signUps.signUp({ email: `${n}@millrace.test`, password: 'correct horse', ...names }, null, address);

  it('have one count of attempts together, because one client may use all of them', async () => {
    for (let n = 0; n < 100; n++)
      await expect(signUp(n, `2001:db8:1:2::${n.toString(16)}`)).rejects.toMatchObject({ code: 'SIGN_UP_DISABLED' });

    const limited = { code: 'RATE_LIMITED' };
    await expect(signUp(100, '2001:db8:1:2:ffff::1')).rejects.toMatchObject(limited);
    await expect(signIns.signIn('ada@millrace.test', 'x', '2001:db8:1:2:ffff::2')).rejects.toMatchObject(limited);
    await expect(signUp(101, '2001:db8:1:3::1')).rejects.toMatchObject({ code: 'SIGN_UP_DISABLED' });
  });
});
