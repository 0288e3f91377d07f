import { StringDecoder } from 'node:string_decoder';
import { FileStore, storableJson, type JsonText, type OutputFile } from '@millrace/domain';
import { LargeOutputs, type RunningStep } from '@millrace/engine';
import { Injectable } from '@nestjs/common';
import { contentId } from './content-id';

const PIECE_CHARACTERS = 256 * 1024;
const JSON_TYPE = 'application/json';

/**
 * Stores large outputs as files of their run. The file id is made of the step key and the output: a repeated step that
 * gives the same output writes the same file, and a different output gets a different file. So the file that a record
 * refers to never changes, even when a worker that lost its run writes late. The files are deleted together with the
 * run's data.
 */
@Injectable()
export class StoredOutputs extends LargeOutputs {
  constructor(private readonly files: FileStore) {
    super();
  }

  override async keep({ id: runId, projectId, stepKey }: RunningStep, output: JsonText): Promise<OutputFile> {
    const text = storableJson(output);
    const bytes = Buffer.byteLength(text);
    const id = outputFileId(stepKey, text);
    const name = `${stepKey.slice(runId.length + 1)}.json`;
    const file = { id, projectId, type: 'STEP_FILE', name, contentType: JSON_TYPE, bytes, runId } as const;
    await this.files.write(file, piecesOf(text));
    return { fileId: id, bytes };
  }

  override async read({ fileId }: OutputFile): Promise<JsonText> {
    const { content } = await this.files.open(fileId, 'any');
    const decoder = new StringDecoder('utf8');
    const parts: string[] = [];
    for await (const part of content) parts.push(decoder.write(part as Buffer));
    return parts.join('') + decoder.end();
  }
}

/** Splits the text into UTF-8 pieces. It never cuts between the two halves of a surrogate pair. */
function* piecesOf(text: string): Generator<Buffer> {
  for (let start = 0; start < text.length;) {
    const end = start + PIECE_CHARACTERS;
    const isCut = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const next = isCut ? end + 1 : end;
    yield Buffer.from(text.slice(start, next));
    start = next;
  }
}

/** The same for the same output of the same step. */
const outputFileId = (stepKey: string, text: string): string => contentId([JSON.stringify(stepKey), ...piecesOf(text)]);
