import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { decodeBson, encodeBson, type BsonDocument } from './bson';

const HEADER = 16;
const MESSAGE = 2013;
const ITERATIONS = 4_096;
const SALT = Buffer.from('a salt of sixteen');
const NOT_SIGNED_IN = { ok: 0, code: 13, errmsg: 'Command requires authentication' };
const HELLO = {
  ...{ ok: 1, isWritablePrimary: true, helloOk: true, readOnly: false, minWireVersion: 0, maxWireVersion: 21 },
  ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
  ...{ logicalSessionTimeoutMinutes: 30, saslSupportedMechs: ['SCRAM-SHA-256'] },
};

interface MongoOptions {
  readonly user: string;
  readonly password: string;
  /** With it, the server speaks TLS. */
  readonly certificate?: { readonly key: string; readonly cert: string };
}

/** The part of MongoDB's protocol that a driver needs to sign in, to insert and to find, of one database. */
export class MongoServer {
  readonly collections = new Map<string, BsonDocument[]>();
  /** The names of the commands of clients that have signed in. */
  readonly commands: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly options: MongoOptions,
  ) {}

  static async start(options: MongoOptions): Promise<MongoServer> {
    const server = options.certificate ? createTlsServer(options.certificate) : createServer();
    const mongo = new MongoServer(server, options);
    server.on(options.certificate ? 'secureConnection' : 'connection', (socket: Socket) => mongo.serve(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return mongo;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket)).on('error', () => undefined);
    const session = new SignIn(this.options);
    let received = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      while (received.length >= HEADER && received.length >= received.readInt32LE(0)) {
        const message = received.subarray(0, received.readInt32LE(0));
        received = received.subarray(message.length);
        socket.write(answerTo(message, this.answer(commandIn(message), session)));
      }
    });
  }

  private answer(command: BsonDocument, session: SignIn): BsonDocument {
    const [name = ''] = Object.keys(command);
    if (name === 'hello') return HELLO;
    if (name === 'saslStart') return session.begin(textOf(command['payload']));
    if (name === 'saslContinue') return session.prove(textOf(command['payload']));
    if (!session.isDone) return NOT_SIGNED_IN;
    this.commands.push(name);
    const collection = String(command[name]);
    const documents = this.collections.get(collection) ?? [];
    switch (name) {
      case 'insert':
        this.collections.set(collection, [...documents, ...(command['documents'] as BsonDocument[])]);
        return { ok: 1, n: (command['documents'] as BsonDocument[]).length };
      case 'find':
        return cursorOf(collection, documents.filter(matching((command['filter'] ?? {}) as BsonDocument)));
      case 'listCollections':
        return cursorOf(
          '$cmd.listCollections',
          [...this.collections.keys()].map((each) => ({ name: each, type: 'collection' })),
        );
      default:
        return { ok: 1 };
    }
  }
}

const textOf = (payload: unknown): string => (payload as Buffer).toString();

const cursorOf = (collection: string, firstBatch: BsonDocument[]): BsonDocument => ({
  ok: 1,
  cursor: { id: 0n, ns: `shop.${collection}`, firstBatch },
});

const matching =
  (filter: BsonDocument) =>
  (document: BsonDocument): boolean =>
    Object.entries(filter).every(([name, value]) => document[name] === value);

/** The conversation of a client that signs in by SCRAM-SHA-256. */
class SignIn {
  isDone = false;
  private first = '';
  private nonce = '';

  constructor(private readonly options: MongoOptions) {}

  begin(payload: string): BsonDocument {
    const bare = payload.slice('n,,'.length);
    this.nonce = `${/r=([^,]+)/.exec(bare)?.[1]}${randomBytes(12).toString('hex')}`;
    const answer = `r=${this.nonce},s=${SALT.toString('base64')},i=${ITERATIONS}`;
    this.first = `${bare},${answer}`;
    return { ok: 1, conversationId: 1, done: false, payload: Buffer.from(answer) };
  }

  prove(payload: string): BsonDocument {
    const [withoutProof = '', proof = ''] = payload.split(',p=');
    const signed = `${this.first},${withoutProof}`;
    const salted = pbkdf2Sync(this.options.password, SALT, ITERATIONS, 32, 'sha256');
    const key = hmac(salted, 'Client Key');
    const signature = hmac(createHash('sha256').update(key).digest(), signed);
    const expected = Buffer.from(key.map((byte, at) => byte ^ (signature[at] ?? 0)));
    const user = /n=([^,]+)/.exec(this.first)?.[1];
    const given = Buffer.from(proof, 'base64');
    if (user !== this.options.user || given.length !== expected.length || !timingSafeEqual(given, expected))
      return { ok: 0, code: 18, errmsg: 'Authentication failed.' };
    this.isDone = true;
    const verifier = hmac(hmac(salted, 'Server Key'), signed).toString('base64');
    return { ok: 1, conversationId: 1, done: true, payload: Buffer.from(`v=${verifier}`) };
  }
}

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The command of a message: its document, with the documents that follow it. */
function commandIn(message: Buffer): BsonDocument {
  let command: BsonDocument = {};
  for (let at = HEADER + 4; at < message.length;) {
    const isSequence = message[at] === 1;
    const size = message.readInt32LE(at + 1);
    if (isSequence) {
      const nameEnd = message.indexOf(0, at + 5);
      command[message.toString('utf8', at + 5, nameEnd)] = documentsIn(message.subarray(nameEnd + 1, at + 1 + size));
    } else command = { ...decodeBson(message, at + 1), ...command };
    at += 1 + size;
  }
  return command;
}

function documentsIn(bytes: Buffer): BsonDocument[] {
  const documents: BsonDocument[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) documents.push(decodeBson(bytes, at));
  return documents;
}

function answerTo(request: Buffer, document: BsonDocument): Buffer {
  const body = encodeBson(document);
  const header = Buffer.alloc(HEADER + 5);
  header.writeInt32LE(header.length + body.length, 0);
  header.writeInt32LE(request.readInt32LE(4), 8);
  header.writeInt32LE(MESSAGE, 12);
  return Buffer.concat([header, body]);
}
