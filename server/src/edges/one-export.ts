import { createHash } from 'node:crypto'
import { finished, type Readable } from 'node:stream'
import { Refusal } from '../refusal.ts'
import type { SignedIn } from './signed-in.ts'

/** Sends the workspace's only export, over all processes. @throws Refusal RATE_LIMITED while another one runs */
export async function onlyExport<File extends Readable>(
  { actor, database: { locks } }: SignedIn,
  open: () => File | Promise<File>,
): Promise<File> {
  const key = createHash('sha256').update(`export ${actor.workspaceId}`).digest().readBigUInt64BE() >> 1n
  const release = await locks.tryTake(String(key))
  if (!release)
    throw new Refusal('RATE_LIMITED', 'Another export of this workspace is running. Try again when it is done.', {
      retryAfterSeconds: 10,
    })
  try {
    const file = await open()
    finished(file, () => void release())
    return file
  } catch (error) {
    await release()
    throw error
  }
}
