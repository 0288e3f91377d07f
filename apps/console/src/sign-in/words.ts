export const words = {
  signIn: 'Sign in',
  email: 'E-mail',
  password: 'Password',
  signingIn: 'Signing in…',
};
