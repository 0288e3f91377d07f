import {
  Clock,
  EntityNotFoundError,
  FileLinks,
  FileStore,
  MAX_FILE_BYTES,
  receivedFile,
  StepFiles,
  type FileInHand,
  type WritingStep,
} from '@millrace/domain';
import { publicUrl } from '@millrace/http';
import { InstallationKeys } from '@millrace/persistence';
import type { WorkerConfig } from '../settings/config';
import { contentId } from './content-id';

/**
 * The files of steps, behind signed links. The id of a file is made of its step and its content, so a repeated step
 * writes no second one.
 */
export class LinkedStepFiles extends StepFiles {
  constructor(
    private readonly files: FileStore,
    private readonly links: FileLinks,
    private readonly clock: Clock,
    private readonly publicUrl: string,
  ) {
    super();
  }

  override async write({ id: runId, projectId, stepKey }: WritingStep, { name, content }: FileInHand): Promise<string> {
    const id = contentId([JSON.stringify([stepKey, name]), content]);
    const bytes = content.length;
    const file = receivedFile({ id, projectId, runId, name, contentType: '', bytes });
    await this.files.write(file, [content]);
    return (await this.links.linkTo(id, this.clock.now())).url;
  }

  override async read(url: string): Promise<FileInHand | null> {
    const [id, query] = this.linkIn(url) ?? [];
    if (id === undefined || query === undefined) return null;
    const proof = { expires: query.get('expires'), signature: query.get('signature') };
    const view = await this.links.check(id, proof, this.clock.now());
    const { file, content } = await this.files.open(id, 'any');
    try {
      if (view !== 'whole' || (file.type !== 'FILE' && file.type !== 'STEP_FILE'))
        throw new EntityNotFoundError('file', id);
      if (file.bytes > MAX_FILE_BYTES)
        throw new Error(`The file ${file.name} has more than ${MAX_FILE_BYTES / 1024 / 1024} MB.`);
      return { name: file.name, content: Buffer.concat((await content.toArray()) as Buffer[]) };
    } finally {
      content.destroy();
    }
  }

  override async delete(urls: readonly string[], projectId: string): Promise<void> {
    const ids = urls.flatMap((url) => this.linkIn(url)?.[0] ?? []);
    await this.files.deleteFiles(ids, [projectId]);
  }

  /** The id of the file and the query, when the URL is one of this installation. */
  private linkIn(url: string): [id: string, query: URLSearchParams] | null {
    const base = `${this.publicUrl}/api/v1/files/`;
    if (!url.startsWith(base) || !URL.canParse(url)) return null;
    const id = url.slice(base.length).split(/[?#]/, 1)[0] ?? '';
    return [id, new URL(url).searchParams];
  }
}

export const linkedStepFiles = (
  files: FileStore,
  keys: InstallationKeys,
  clock: Clock,
  config: WorkerConfig,
): LinkedStepFiles => {
  const address = publicUrl(config).replace(/\/+$/, '');
  return new LinkedStepFiles(files, new FileLinks(address, keys.fileLinks), clock, address);
};
