import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DataDirBusy, lockDataDir, openDataDir, readPrivateJson, writePrivate } from './data-dir.ts'

const module = join(import.meta.dirname, 'data-dir.ts')

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const isRoot = process.getuid?.() === 0
const mode = (path: string) => statSync(path).mode & 0o777

/**
 * A process that holds the folder, started by a process that has ended if `orphan`, and ends
 * itself after a while.
 */
async function holder(folder: string, { orphan = false, isClosing = false, lastsMs = 60_000 } = {}): Promise<number> {
  const code = `
    import { lockDataDir } from ${JSON.stringify(module)}
    const hold = await lockDataDir(${JSON.stringify(folder)})
    if (${isClosing}) hold.announceClosing()
    console.log(process.pid)
    setTimeout(() => process.exit(), ${lastsMs})`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code]
  const child = orphan
    ? // The holder must have noted its parent before that ends.
      spawn('sh', ['-c', '"$@" & read _', 'sh', process.execPath, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    : spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const pid = Number(line)
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has already exited.
    }
  })
  if (orphan) {
    const exit = once(child, 'exit')
    child.stdin?.end()
    await exit
  }
  return pid
}

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

test('lockDataDir locks once, even within one process, and again after release', async () => {
  const folder = temporaryFolder()
  const first = await lockDataDir(folder)
  await expect(lockDataDir(folder)).rejects.toThrow(DataDirBusy)
  first.release()
  first.release()
  expect(existsSync(join(folder, 'server.json'))).toBe(false)
  const second = await lockDataDir(folder)
  second.release()
})

test('lockDataDir names the owning process and unlocks as soon as it is killed', async () => {
  const folder = temporaryFolder()
  const pid = await holder(folder)
  await expect(lockDataDir(folder)).rejects.toThrow(`Another server (process ${pid}) is already running`)
  process.kill(pid, 'SIGKILL')
  const hold = await lockDataDir(folder)
  hold.release()
})

test('lockDataDir waits for a closing server whose parent is gone', async () => {
  const folder = temporaryFolder()
  await holder(folder, { orphan: true, lastsMs: 2_500 })
  let waited = 0
  const hold = await lockDataDir(folder, { onWait: () => waited++ })
  expect(waited).toBe(1)
  hold.release()
})

test('lockDataDir waits for a server that announced it is closing', async () => {
  const folder = temporaryFolder()
  await holder(folder, { isClosing: true, lastsMs: 3_000 })
  const hold = await lockDataDir(folder)
  hold.release()
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

test('lockDataDir gives up on a server that does not close', async () => {
  const folder = temporaryFolder()
  await holder(folder, { orphan: true })
  await expect(lockDataDir(folder, { patienceMs: 200 })).rejects.toThrow(DataDirBusy)
})
