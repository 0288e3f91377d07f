export { seedProject } from './seed-project';
export { createTestDatabase, type TestDatabase } from './test-database';
