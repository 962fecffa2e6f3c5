import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAppendLog } from './append-log.ts'

function file() {
  const folder = mkdtempSync(join(tmpdir(), 'append-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'deep', 'log.jsonl')
}

function read(path: string) {
  const entries: unknown[] = []
  const log = openAppendLog(path, (entry) => entries.push(entry))
  onTestFinished(() => log.close())
  return { log, entries }
}

test('replays any entries in order', () => {
  const path = file()
  const written = [{ text: 'a\nb' }, { text: '🦊 مرحبا' }, [1, null]]
  const { log } = read(path)
  for (const entry of written) log.append(entry)
  expect(read(path).entries).toEqual(written)
})

test('drops an incomplete last line and continues on a new one', () => {
  const path = file()
  read(path).log.append({ n: 1 })
  appendFileSync(path, '{"n":2,"te')
  const again = read(path)
  expect(again.entries).toEqual([{ n: 1 }])
  again.log.append({ n: 3 })
  expect(read(path).entries).toEqual([{ n: 1 }, { n: 3 }])
})

test('drops a last line that is not JSON', () => {
  const path = file()
  read(path).log.append({ n: 1 })
  appendFileSync(path, '{"n":2,"te\n')
  const again = read(path)
  again.log.append({ n: 3 })
  expect(read(path).entries).toEqual([{ n: 1 }, { n: 3 }])
})

test('names the file and the line if an earlier line is damaged', () => {
  const path = file()
  read(path).log.append({ n: 1 })
  appendFileSync(path, '{"n":2,"te\n{"n":3}\n')
  expect(() => read(path)).toThrow(`${path} is damaged in line 2.`)
})

test('replaces all entries on rewrite and appends after them', () => {
  const path = file()
  const { log } = read(path)
  for (let n = 0; n < 5; n++) log.append({ n })
  log.rewrite([{ n: 4 }])
  log.append({ n: 5 })
  expect(readFileSync(path, 'utf8')).toBe('{"n":4}\n{"n":5}\n')
})

test('rejects entries after it was closed', () => {
  const { log } = read(file())
  log.close()
  expect(() => log.append({ n: 1 })).toThrow('closed')
})
