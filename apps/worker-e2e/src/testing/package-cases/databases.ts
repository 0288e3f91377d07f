import { custom, type TriedPackage } from './package-case';

/** A package of a database, which has no HTTP API: its suite names what its actions do. */
export interface TriedDatabase extends TriedPackage {
  readonly actions: readonly string[];
  readonly asked: readonly string[];
}

const signIn = { username: 'ada', password: 'key-mongo', database: 'shop', authSource: 'admin' };
const ofMongo = { piece: 'mongodb', version: '0.1.7', actions: ['find_documents', 'insert_documents'] };

export const DATABASES = {
  mongodb: {
    ...ofMongo,
    connection: custom({ ...signIn, host: 'mongo.example.com:27017', useAtlasUrl: false }),
    asked: ['`collection`', 'connection'],
  },
  mongodbByName: {
    ...ofMongo,
    connection: custom({ ...signIn, host: 'cluster.example.com', useAtlasUrl: true }),
    asked: [],
  },
  mysql: {
    ...{ piece: 'mysql', version: '0.2.7', actions: ['execute_query'], asked: [] },
    connection: custom({ host: 'db.example.com', port: 3306, user: 'ada', password: 'key-mysql', database: 'shop' }),
  },
} as const satisfies Record<string, TriedDatabase>;
