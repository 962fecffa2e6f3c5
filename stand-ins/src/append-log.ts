import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, truncateSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** A list of JSON values on disk that is only ever added to, so that a killed process loses nothing it has answered for. */
export type AppendLog<Entry> = {
  /** Hands the entry to the operating system before it returns. It survives the death of this process, not of the machine. */
  append(entry: Entry): void
  /** Puts other entries in the place of all, in one step. */
  rewrite(entries: Entry[]): void
  close(): void
}

/**
 * Opens the log in `file` and gives each entry it holds to `replay`, oldest first. Without a file nothing is kept.
 * A torn last line is dropped: a process was killed while it wrote it, so no caller has an answer for it.
 * @throws an Error that names the file and the line, if another line is damaged
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
  // Line by line from the bytes: a log may be longer than the longest string.
  let start = 0
  let line = 1
  for (let end = content.indexOf(10); end !== -1; end = content.indexOf(10, start)) {
    if (end > start) {
      const entry = parse(content.toString('utf8', start, end))
      if (entry === undefined && end === content.length - 1) break
      if (entry === undefined)
        throw new Error(`${file} is damaged in line ${line}. Delete the file to begin without what it holds.`)
      replay(entry as Entry)
    }
    start = end + 1
    line += 1
  }
  if (start < content.length) truncateSync(file, start)
}

/** Undefined if the text is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
