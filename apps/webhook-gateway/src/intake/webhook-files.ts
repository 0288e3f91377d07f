import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import {
  FileLinks,
  FileStore,
  IntakeGate,
  receivedFile,
  ServiceUnavailableError,
  type NewFile,
  type NewRun,
  type WebhookPayload,
} from '@millrace/domain';
import { newId } from '@millrace/persistence';
import { textOfMultipart, type PartFile } from '../bodies/multipart-body';
import { BodyChecker, LARGE_BODY_BYTES } from '../bodies/body-checker';
import { Turns } from '../bodies/turns';
import { contentType, requestText, type AcceptPayload, type InboundRequest } from './webhook-payload';

// Stores the files of webhooks.
//
// W1. The files are stored before their run is accepted, so a run that exists can read them.
// W2. A file belongs to its run, which is named before it exists: the files are purged with the data of the run. The
//     files of a run that never came to exist are purged as late as those of a run of the same time.
// W3. Files that no run refers to are deleted at once: the run was refused, or the request repeats an earlier one. They
//     stay when it is unknown whether the run exists.

/**
 * A file takes several statements, so webhooks with files take turns, fairly by project, and leave the database to the
 * others. Two large files at once made small webhooks wait twice as long as one.
 */
const SMALL_AT_ONCE = 2;
const LARGE_AT_ONCE = 1;
const MOST_WAITING = 200;

type FutureRun = Pick<NewRun, 'id' | 'projectId'>;
type Body = [text: (urls: readonly string[]) => string, files: readonly PartFile[]];

@Injectable()
export class WebhookFiles {
  private readonly small = new Turns(SMALL_AT_ONCE, MOST_WAITING);
  private readonly large = new Turns(LARGE_AT_ONCE, MOST_WAITING);
  private readonly logger = new Logger(WebhookFiles.name);

  constructor(
    private readonly store: FileStore,
    private readonly links: FileLinks,
    @Inject(BodyChecker) private readonly checker: Pick<BodyChecker, 'multipartOf'>,
    @Optional() private readonly gate?: IntakeGate,
  ) {}

  /**
   * Stores the files of a body and calls `accept` with the payload that names them. Rejects with InvalidRequestError
   * for a malformed body, as IntakeGate.admit throws, as FileStore.write rejects, and as `accept` rejects.
   */
  async accept(
    request: InboundRequest,
    kind: 'multipart' | 'file',
    run: FutureRun,
    accept: AcceptPayload,
  ): ReturnType<AcceptPayload> {
    this.gate?.admit(run.projectId);
    const turns = request.rawBody.length > LARGE_BODY_BYTES ? this.large : this.small;
    return turns.take(run.projectId, async () => {
      const [text, parts] = kind === 'file' ? oneFile(request) : await this.multipart(request);
      const files = parts.map((part) => fileOf(part, run));
      try {
        for (const [index, file] of files.entries())
          await this.store.write(file, [parts[index]?.content as Uint8Array]);
        const acceptance = await accept(await this.payload(request, text, files));
        if (acceptance.replayed) await this.discard(files, run);
        return acceptance;
      } catch (error) {
        if (!mayHaveRun(error)) await this.discard(files, run);
        throw error;
      }
    });
  }

  /** A thread reads it: a thousand parts fit into some kilobytes and would hold up other requests. */
  private async multipart(request: InboundRequest): Promise<Body> {
    const body = await this.checker.multipartOf({ rawBody: request.rawBody, contentType: contentType(request) });
    return [(urls) => textOfMultipart(body, (file) => urls[file] as string), body.files];
  }

  private async payload(request: InboundRequest, text: Body[0], files: readonly NewFile[]): Promise<WebhookPayload> {
    const linkTo = await this.links.linker(new Date());
    const rawBody = Buffer.from(text(files.map(({ id }) => linkTo(id).url)));
    return { request: requestText(request), bodyKind: 'files', rawBody };
  }

  /** A failure is only logged: the sender is told what happened to the run, and the files are purged later (W2). */
  private async discard(files: readonly NewFile[], { id: runId, projectId }: FutureRun): Promise<void> {
    try {
      await this.store.deleteFiles(
        files.map(({ id }) => id),
        [projectId],
      );
    } catch (error) {
      const msg = `${files.length} files of a webhook that no run has could not be deleted: ${String(error)}`;
      this.logger.warn({ msg, runId, projectId });
    }
  }
}

const oneFile = (request: InboundRequest): Body => [
  ([fileUrl]) => JSON.stringify({ fileUrl }),
  [{ name: '', contentType: contentType(request), content: request.rawBody }],
];

const fileOf = ({ content, ...part }: PartFile, { id, projectId }: FutureRun): NewFile =>
  receivedFile({ ...part, id: newId(), projectId, runId: id, bytes: content.length });

const mayHaveRun = (error: unknown): boolean =>
  error instanceof ServiceUnavailableError && error.params['flowRunId'] !== undefined;
