import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDataDir, readPrivateJson, writePrivate } from './data-dir.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const isRoot = process.getuid?.() === 0
const mode = (path: string) => statSync(path).mode & 0o777

test('openDataDir creates a private folder', () => {
  const folder = join(temporaryFolder(), 'a', 'b')
  expect(openDataDir(folder)).toBe(folder)
  expect(mode(folder)).toBe(0o700)
})

test('openDataDir restricts a folder that is empty or was ours', () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  openDataDir(folder)
  expect(mode(folder)).toBe(0o700)
  writeFileSync(join(folder, 'auth-secret'), '')
  chmodSync(folder, 0o755)
  openDataDir(folder)
  expect(mode(folder)).toBe(0o700)
})

test("openDataDir rejects another user's folder and keeps its mode", () => {
  const folder = temporaryFolder()
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'photos'))
  expect(() => openDataDir(folder)).toThrow('contains other files')
  expect(mode(folder)).toBe(0o755)
})

test('openDataDir names a DATA_DIR that is a file', () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  expect(() => openDataDir(file)).toThrow(`DATA_DIR ${file} is not a folder.`)
})

test('writePrivate replaces a file for its owner only and leaves no draft', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'secret')
  writeFileSync(path, 'old', { mode: 0o644 })
  writePrivate(path, 'new')
  expect(mode(path)).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['secret'])
})

test('readPrivateJson names a damaged file and its fix', () => {
  const path = join(temporaryFolder(), 'database.json')
  const isText = (value: unknown): value is string => typeof value === 'string'
  const read = () => readPrivateJson(path, isText, 'Restore a backup.')
  expect(read()).toBeUndefined()
  for (const content of ['', '{"a":', '5']) {
    writeFileSync(path, content)
    expect(read).toThrow(`${path} is damaged. Restore a backup.`)
  }
  writeFileSync(path, '"whole"')
  expect(read()).toBe('whole')
})

test('a file of a folder without room, or on a read-only disk, is named in one sentence', { skip: !isRoot }, () => {
  const folder = temporaryFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=0700', 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', [folder]))
  const path = join(folder, 'database.json')
  expect(() => writePrivate(path, 'x'.repeat(200_000))).toThrow(`${path} cannot be written: the disk is full.`)
  expect(readdirSync(folder)).toEqual([])
  execFileSync('mount', ['-o', 'remount,ro', folder])
  expect(() => openDataDir(folder)).toThrow(`DATA_DIR ${folder} is read-only.`)
  expect(() => writePrivate(path, 'x')).toThrow(`${path} cannot be written: the file system is read-only.`)
})
