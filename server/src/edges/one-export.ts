import { createHash } from 'node:crypto'
import { finished, type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionLocks } from '../db/session-locks.ts'
import { Refusal } from '../refusal.ts'
import type { SignedIn } from './signed-in.ts'

/** Waits before each try: a client finishes reading an export slightly before its lock is free. */
const WAITS_MS = [0, 50, 200, 750]

/** Opens the workspace's only export, over all processes. @throws Refusal RATE_LIMITED while another one runs */
export async function onlyExport<File extends Readable>(
  { actor, database: { locks } }: SignedIn,
  open: () => File | Promise<File>,
): Promise<File> {
  const key = createHash('sha256').update(`export ${actor.workspaceId}`).digest().readBigUInt64BE() >> 1n
  const release = await takeSoon(locks, String(key))
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

async function takeSoon(locks: SessionLocks, key: string) {
  for (const ms of WAITS_MS) {
    await sleep(ms)
    const release = await locks.tryTake(key)
    if (release) return release
  }
  return null
}
