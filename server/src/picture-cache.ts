import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const MAX_BYTES = 1024 ** 3
/** Folders share the space equally, so that making room reads only one of them. */
const FOLDERS = 256
/** Files take up a multiple of this on disk. */
const BLOCK_BYTES = 4096
/** Files that nobody has used for this long are deleted, as the privacy policy promises. */
const UNUSED_MS = 30 * 24 * 60 * 60 * 1000
/** A use is recorded at most once in this time. */
const NOTED_MS = 60 * 60 * 1000

export type PictureCache = ReturnType<typeof createPictureCache>

/**
 * Stores files by key in a folder, and deletes the least recently used ones first. Processes may
 * share the folder: files appear whole, and each process makes room for what it adds.
 */
export function createPictureCache(root: string, { maxBytes = MAX_BYTES, folders = FOLDERS } = {}) {
  const share = maxBytes / folders
  /** Bytes that this process added to a folder since it last made room there. */
  const added = new Map<string, number>()

  function placeOf(key: string) {
    const name = createHash('sha256').update(key).digest('hex')
    const folder = join(root, String(Number.parseInt(name.slice(0, 8), 16) % folders))
    return { folder, file: join(folder, name) }
  }

  async function filesOf(folder: string) {
    return Promise.all(
      (await readdir(folder).catch(() => [])).map(async (name) => {
        const file = join(folder, name)
        const stats = await stat(file).catch(() => null)
        return { file, bytes: stats ? sizeOf(stats.size) : 0, usedMs: stats?.mtimeMs ?? 0 }
      }),
    )
  }

  /** Deletes the least recently used files until a quarter is free: other processes may add files, too. */
  async function makeRoom(folder: string): Promise<void> {
    const files = await filesOf(folder)
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    for (const file of files.sort((a, b) => a.usedMs - b.usedMs)) {
      if (bytes <= share * 0.75) return
      await rm(file.file, { force: true })
      bytes -= file.bytes
    }
  }

  return {
    /** Reads a file; null if it is not stored. */
    async read(key: string): Promise<Buffer | null> {
      const { file } = placeOf(key)
      const bytes = await readFile(file).catch(() => null)
      if (!bytes) return null
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Date.now() }))
      if (Date.now() - mtimeMs > NOTED_MS) await utimes(file, new Date(), new Date()).catch(() => {})
      return bytes
    },

    /** Stores a file. @throws Error if the disk refuses */
    async write(key: string, bytes: Buffer): Promise<void> {
      const { folder, file } = placeOf(key)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const draft = `${file}.${randomUUID()}`
      await writeFile(draft, bytes, { mode: 0o600 })
      await rename(draft, file)
      const sum = (added.get(folder) ?? share) + sizeOf(bytes.length)
      added.set(folder, sum > share / 16 ? 0 : sum)
      if (sum > share / 16) await makeRoom(folder)
    },

    /** Deletes files that nobody has used for 30 days. */
    async purgeUnused(): Promise<void> {
      for (let index = 0; index < folders; index++)
        for (const { file, usedMs } of await filesOf(join(root, String(index))))
          if (Date.now() - usedMs > UNUSED_MS) await rm(file, { force: true })
    },
  }
}

function sizeOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES
}
