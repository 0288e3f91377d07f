import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { LiveConnection, type LiveSocket, type RoomListener } from './live-connection';
import { accessToken, afterLostSession, renew, signedInPerson } from './session';

const connections = new Map<string, LiveConnection>();
const PATH = '/api/socket.io';
const SLOWEST_RETURN_MS = 15_000;

/** Each person has connections of their own, so that nobody hears what only the one before them may see. */
function connectionOf(projectId: string): LiveConnection {
  const key = `${signedInPerson()?.id} ${projectId}`;
  const known = connections.get(key);
  if (known) return known;
  const made = new LiveConnection({
    open: async (): Promise<LiveSocket> => {
      const { io } = await import('socket.io-client');
      return io({
        path: PATH,
        autoConnect: false,
        forceNew: true, // one for each project
        transports: ['websocket'], // polling needs a balancer that leads each client to one process
        reconnectionDelayMax: SLOWEST_RETURN_MS,
        auth: (answer) => answer({ token: accessToken() ?? '', projectId }),
      });
    },
    renew: async () => {
      const personId = signedInPerson()?.id;
      await renew();
      await afterLostSession();
      return accessToken() !== null && signedInPerson()?.id === personId;
    },
  });
  connections.set(key, made);
  return made;
}

type Listener = Omit<RoomListener, 'left'>;

/**
 * Listens to a room of a project while the page is looked at. Returns whether the room has been entered: until then, and
 * while the connection is cut, the caller asks from time to time.
 */
export function useRoom(projectId: string, room: string | null, listener: Listener): boolean {
  const [entered, setEntered] = useState<string | null>(null);
  const isLookedAt = useSyncExternalStore(onVisibility, isVisible);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  const key = room === null || !isLookedAt ? null : `${projectId} ${room}`;
  useEffect(() => {
    if (room === null || key === null) return undefined;
    const stop = connectionOf(projectId).listen(room, {
      entered: () => {
        setEntered(key);
        latest.current.entered();
      },
      left: () => setEntered(null),
      summary: (summary) => latest.current.summary?.(summary),
      run: (run) => latest.current.run?.(run),
      step: (step) => latest.current.step?.(step),
    });
    return () => {
      stop();
      setEntered(null);
    };
  }, [projectId, room, key]);
  return key !== null && entered === key;
}

const isVisible = (): boolean => document.visibilityState === 'visible';

function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
