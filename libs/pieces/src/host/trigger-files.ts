import { createHash } from 'node:crypto';
import type { FileInHand, FoundItem, OutboundHttp, StepFiles } from '@millrace/domain';
import type { FilesOfStep } from '../framework/files';
import { ActionFailure } from '../framework/piece';
import { FileBudget, filesOfStep } from './step-files';

/** Where triggers keep the files that they write. */
export interface TriggerFiles {
  files: StepFiles;
  /** Makes an id as runs have it. */
  newId: () => string;
}

interface CallOfTrigger {
  readonly flow: { readonly id: string; readonly projectId: string };
  readonly http: OutboundHttp;
  readonly signal: AbortSignal;
}

const MOST_FILES = 100;
const MOST_MEGABYTES = 50;
const PROBLEM = `A call of a trigger writes at most ${MOST_FILES} files, and ${MOST_MEGABYTES} MB of them.`;

/**
 * The files of one call of a trigger, for which there is no run yet. A repeated call writes further files. Those that
 * nothing refers to after the call are deleted.
 */
export class FilesOfTriggerCall implements FilesOfStep {
  /** The links to the files, and the hash of the file behind each. */
  private readonly written = new Map<string, string>();
  private readonly writing = new Set<Promise<string>>();
  private readonly budget = new FileBudget({ bytes: MOST_MEGABYTES * 1024 * 1024, problem: PROBLEM });
  private readonly ofStep: FilesOfStep;
  private asked = 0;
  private isOver = false;

  constructor(
    private readonly call: CallOfTrigger,
    private readonly files: StepFiles,
    id: string,
  ) {
    const { flow, http } = call;
    this.ofStep = filesOfStep({ id, projectId: flow.projectId, stepKey: `${id}:trigger` }, files, http, this.budget);
  }

  get haveBeenWritten(): boolean {
    return this.written.size > 0;
  }

  async write(file: FileInHand): Promise<string> {
    if (this.isOver) throw new ActionFailure('The call of the trigger has ended.');
    if (++this.asked > MOST_FILES) throw new ActionFailure(PROBLEM);
    const writing = this.writeNoted(file);
    this.writing.add(writing);
    return writing.finally(() => this.writing.delete(writing));
  }

  read(url: string, signal?: AbortSignal): Promise<FileInHand> {
    return this.ofStep.read(url, signal);
  }

  /** Resolves as the call does. Its files are deleted when it fails, or when nobody waits for it any more. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    try {
      const result = await call();
      this.call.signal.throwIfAborted();
      return result;
    } catch (error) {
      await this.deleteUnless([]);
      throw error;
    }
  }

  /** Deletes the files of which none of these texts has a link. The call writes no more. */
  async deleteUnless(texts: readonly string[]): Promise<void> {
    this.isOver = true;
    await Promise.allSettled(this.writing);
    const unneeded = [...this.written.keys()].filter((link) => !texts.some((text) => text.includes(addressIn(link))));
    if (unneeded.length > 0) await this.files.delete(unneeded, this.call.flow.projectId);
  }

  /** Has items compared with others by the content of their files, because each poll has other links to them. */
  comparable(items: readonly FoundItem[]): readonly FoundItem[] {
    if (!this.haveBeenWritten) return items;
    const links = anyOf([...this.written.keys()]);
    return items.map((item) => {
      const text = JSON.stringify(item.value ?? null);
      const compared = text.replace(links, (link) => this.written.get(link) ?? link);
      return compared === text ? item : { ...item, comparedAs: JSON.parse(compared) as unknown };
    });
  }

  private async writeNoted(file: FileInHand): Promise<string> {
    const link = await this.ofStep.write(file);
    this.written.set(link, hashOf(file));
    return link;
  }
}

const hashOf = ({ name, content }: FileInHand): string =>
  createHash('sha256').update(JSON.stringify(name)).update(content).digest('hex');

/** What all links to a file begin with. */
const addressIn = (link: string): string => link.split('?', 1)[0] ?? link;

/** Finds any of the links in a text, and none for another one that begins with it. */
const anyOf = (links: readonly string[]): RegExp =>
  new RegExp(
    [...links]
      .sort()
      .reverse()
      .map((link) => link.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('|'),
    'g',
  );
