export interface ServiceUnderTest {
  baseUrl: string;
  adminEmail: string;
  adminPassword: string;
  adminApiKey: string;
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the end-to-end tests with "npm test -- e2e".`);
  return value;
}

/** The service that `npm test` has started. */
export const serviceUnderTest = (): ServiceUnderTest => ({
  baseUrl: required('MILLRACE_BASE_URL'),
  adminEmail: required('MILLRACE_ADMIN_EMAIL'),
  adminPassword: required('MILLRACE_ADMIN_PASSWORD'),
  adminApiKey: required('MILLRACE_ADMIN_API_KEY'),
});
