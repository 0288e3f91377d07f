export class UserDto {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  platformRole: 'ADMIN' | 'MEMBER';
  created: Date;
}
