import type { RunAnswer } from '../runs/run-answers';
import { RunFamilies } from '../runs/run-families';
import { RunNews } from '../runs/run-news';
import { RunNotices } from '../runs/run-notices';

/** News of runs, with what was told: `parent of <run>`, `answer of <run>: <body>`, or `none` in place of the body. */
export function recordingNews() {
  const told: string[] = [];
  const news = new RunNews(new RecordingFamilies(told), new RecordingNotices(told), (message) => told.push(message));
  return { news, told };
}

class RecordingFamilies extends RunFamilies {
  constructor(private readonly told: string[]) {
    super();
  }

  override tellParent(childRunId: string): Promise<void> {
    this.told.push(`parent of ${childRunId}`);
    return Promise.resolve();
  }

  override tellParents(): Promise<number> {
    return Promise.resolve(0);
  }
}

class RecordingNotices extends RunNotices {
  constructor(private readonly told: string[]) {
    super();
  }

  override listen(): void {
    // nobody stops a run here
  }

  override announceAnswered(runId: string, { response }: RunAnswer): Promise<void> {
    this.told.push(`answer of ${runId}: ${response ? String(response.body) : 'none'}`);
    return Promise.resolve();
  }
}
