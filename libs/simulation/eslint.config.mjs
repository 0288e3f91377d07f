import millrace from '../../eslint.config.mjs';

/** All of this project is a test, so all of it may use the in-memory twins of ports. */
export default [...millrace, { files: ['src/**/*.ts'], rules: { 'no-restricted-imports': 'off' } }];
