import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { DataDirBusy, lockDataDir } from './data-dir-lock.ts'

const module = join(import.meta.dirname, 'data-dir-lock.ts')

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a process that locks the folder and exits after a while. With `orphan`, its parent has already ended. */
async function holder(folder: string, { orphan = false, isClosing = false, lastsMs = 60_000 } = {}): Promise<number> {
  const code = `
    import { lockDataDir } from ${JSON.stringify(module)}
    const hold = await lockDataDir(${JSON.stringify(folder)})
    if (${isClosing}) hold.announceClosing()
    console.log(process.pid)
    setTimeout(() => process.exit(), ${lastsMs})`
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code]
  const child = orphan
    ? // The holder must have read its parent's id before the parent ends.
      spawn('sh', ['-c', '"$@" & read _', 'sh', process.execPath, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    : spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const pid = Number(line)
  onTestFinished(() => {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // The process has already exited.
    }
  })
  if (orphan) {
    const exit = once(child, 'exit')
    child.stdin?.end()
    await exit
  }
  return pid
}

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

test('lockDataDir gives up on a server that does not close', async () => {
  const folder = temporaryFolder()
  await holder(folder, { orphan: true })
  await expect(lockDataDir(folder, { patienceMs: 200 })).rejects.toThrow(DataDirBusy)
})
