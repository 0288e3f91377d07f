// The tabs of this browser tell each other which flow they have changed.

const CHANNEL = 'millrace.flows';
let own: BroadcastChannel | undefined;

const channel = (): BroadcastChannel => (own ??= new BroadcastChannel(CHANNEL));

export const tellOtherTabs = (flowId: string): void => channel().postMessage(flowId);

/** Returns how to stop listening. */
export function listenToOtherTabs(flowId: string, hear: () => void): () => void {
  const onMessage = ({ data }: MessageEvent<unknown>) => {
    if (data === flowId) hear();
  };
  channel().addEventListener('message', onMessage);
  return () => channel().removeEventListener('message', onMessage);
}
