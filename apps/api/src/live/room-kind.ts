import type { LiveSession } from './live-access';
import type { Subscribed } from './live-messages';

/** What a client learns of a room that it has entered. */
export type RoomState = Omit<Subscribed, 'room'>;

/** One kind of room. A room has a key, which no room of another project has. */
export abstract class RoomKind {
  /** Returns the key of the room that the client of this session asks for; null when it is a room of another kind. */
  abstract keyOf(name: string, session: LiveSession): string | null;
  /** Whether this kind made the key. */
  abstract owns(key: string): boolean;
  /** Throws when the client may not enter the room. */
  abstract admit(key: string, session: LiveSession): Promise<void>;
  /** The first client is about to enter. */
  abstract opened(key: string): void;
  /** The last client has left. */
  abstract closed(key: string): void;
  /**
   * Resolves when changes of what the room shows arrive here. The function returns the present state. It is called as
   * the client is told, so that no change is sent between the two.
   */
  abstract entered(key: string): Promise<() => RoomState>;
}
