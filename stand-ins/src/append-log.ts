import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, truncateSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** An append-only log of JSON values on disk. If the process is killed, acknowledged entries survive. */
export type AppendLog<Entry> = {
  /** Writes the entry before returning. It survives a kill of this process, but not a power failure. */
  append(entry: Entry): void
  /** Replaces all entries atomically. */
  rewrite(entries: Entry[]): void
  close(): void
}

/**
 * Opens a log, passes its entries to `replay`, oldest first, and drops an incomplete last line.
 * Without a file, nothing is stored.
 * @throws Error that names the file and the damaged line
 */
export function openAppendLog<Entry>(file: string | undefined, replay: (entry: Entry) => void): AppendLog<Entry> {
  if (file === undefined) return { append() {}, rewrite() {}, close() {} }

  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  cutTornLine(file, replay)
  let handle: number | undefined = openSync(file, 'a', 0o600)

  return {
    append(entry) {
      if (handle === undefined) throw new Error(`The log ${file} is closed`)
      writeSync(handle, `${JSON.stringify(entry)}\n`)
    },
    rewrite(entries) {
      if (handle === undefined) throw new Error(`The log ${file} is closed`)
      const next = `${file}.next`
      const nextHandle = openSync(next, 'w', 0o600)
      for (const entry of entries) writeSync(nextHandle, `${JSON.stringify(entry)}\n`)
      fsyncSync(nextHandle)
      closeSync(nextHandle)
      renameSync(next, file)
      closeSync(handle)
      handle = openSync(file, 'a', 0o600)
    },
    close() {
      if (handle !== undefined) closeSync(handle)
      handle = undefined
    },
  }
}

function cutTornLine<Entry>(file: string, replay: (entry: Entry) => void) {
  let content: Buffer
  try {
    content = readFileSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  // Parses the bytes line by line: a log can be longer than the longest string in JavaScript.
  let start = 0
  let line = 1
  for (let end = content.indexOf(10); end !== -1; end = content.indexOf(10, start)) {
    if (end > start) {
      const entry = parse(content.toString('utf8', start, end))
      if (entry === undefined && end === content.length - 1) break
      if (entry === undefined)
        throw new Error(`${file} is damaged in line ${line}. Delete the file to start without its data.`)
      replay(entry as Entry)
    }
    start = end + 1
    line += 1
  }
  if (start < content.length) truncateSync(file, start)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
