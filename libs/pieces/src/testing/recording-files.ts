import { StepFiles, type FileInHand, type WritingStep } from '@millrace/domain';

const BASE_URL = 'https://millrace.test/files/';

/** Files of steps in memory. */
export class RecordingFiles extends StepFiles {
  readonly written: { step: WritingStep; file: FileInHand }[] = [];
  /** The links of the files that were deleted. */
  readonly deleted: string[] = [];

  override async write(step: WritingStep, file: FileInHand): Promise<string> {
    this.written.push({ step, file });
    return `${BASE_URL}${this.written.length}`;
  }

  override async read(url: string): Promise<FileInHand | null> {
    if (!url.startsWith(BASE_URL) || this.deleted.includes(url)) return null;
    return this.written[Number(url.slice(BASE_URL.length)) - 1]?.file ?? null;
  }

  override async delete(urls: readonly string[]): Promise<void> {
    this.deleted.push(...urls);
  }
}
