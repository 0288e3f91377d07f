module.exports = {
  displayName: 'api-e2e',
  preset: '../../jest.preset.js',
  testEnvironment: '../../libs/e2e-support/suite-environment.cjs',
  testMatch: ['**/*.e2e-spec.ts'],
  testTimeout: 120_000,
};
