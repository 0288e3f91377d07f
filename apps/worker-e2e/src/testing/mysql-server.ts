import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

const PROTOCOL_41 = 0x200;
const SECURE_CONNECTION = 0x8000;
const CONNECT_WITH_DATABASE = 8;
const PLUGIN_AUTH = 0x80000;
const CAPABILITIES = PROTOCOL_41 | SECURE_CONNECTION | CONNECT_WITH_DATABASE | PLUGIN_AUTH | 1;
const QUERY = 3;
const TEXT_COLUMN = 0xfd;
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
const END_OF_LIST = Buffer.from([0xfe, 0, 0, 2, 0]);

const zeros = (count: number): Buffer => Buffer.alloc(count);
const withLength = (text: string): Buffer => Buffer.concat([Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]);

function uint(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}

/** The part of MySQL's protocol that a client needs to sign in and to ask: it answers every query with these rows. */
export class MySqlServer {
  readonly queries: string[] = [];
  readonly users: string[] = [];

  private constructor(
    private readonly server: Server,
    private readonly rows: readonly Readonly<Record<string, string>>[],
  ) {}

  static async start(rows: readonly Readonly<Record<string, string>>[]): Promise<MySqlServer> {
    const server = createServer();
    const mysql = new MySqlServer(server, rows);
    server.on('connection', (socket) => mysql.serve(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return mysql;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(socket: Socket): void {
    socket.on('error', () => undefined);
    send(socket, 0, [greeting()]);
    let isSignedIn = false;
    let received = Buffer.alloc(0);
    socket.on('data', (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      while (received.length >= 4 && received.length >= 4 + received.readUIntLE(0, 3)) {
        const length = received.readUIntLE(0, 3);
        const [number, packet] = [received.readUInt8(3), received.subarray(4, 4 + length)];
        received = received.subarray(4 + length);
        if (isSignedIn) this.answer(socket, packet);
        else {
          this.users.push(packet.subarray(32, packet.indexOf(0, 32)).toString());
          isSignedIn = true;
          send(socket, number + 1, [OK]);
        }
      }
    });
  }

  private answer(socket: Socket, packet: Buffer): void {
    if (packet[0] !== QUERY) return void socket.end();
    this.queries.push(packet.subarray(1).toString());
    const names = Object.keys(this.rows[0] ?? {});
    const rows = this.rows.map((row) => Buffer.concat(names.map((name) => withLength(row[name] ?? ''))));
    send(socket, 1, [Buffer.from([names.length]), ...names.map(column), END_OF_LIST, ...rows, END_OF_LIST]);
  }
}

function send(socket: Socket, first: number, packets: readonly Buffer[]): void {
  packets.forEach((packet, at) =>
    socket.write(Buffer.concat([uint(packet.length, 3), Buffer.from([first + at]), packet])),
  );
}

const greeting = (): Buffer =>
  Buffer.concat([
    ...[Buffer.from([10]), Buffer.from('8.0.0-test\0'), uint(1, 4), Buffer.from('12345678'), zeros(1)],
    ...[uint(CAPABILITIES & 0xffff, 2), Buffer.from([45]), uint(2, 2), uint(CAPABILITIES >>> 16, 2)],
    ...[Buffer.from([21]), zeros(10), Buffer.from('123456789012\0'), Buffer.from('mysql_native_password\0')],
  ]);

const column = (name: string): Buffer =>
  Buffer.concat([
    ...['def', 'shop', 'orders', 'orders', name, name].map(withLength),
    ...[Buffer.from([12]), uint(45, 2), uint(1024, 4), Buffer.from([TEXT_COLUMN]), uint(0, 2), zeros(3)],
  ]);
