import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { readlinkSync } from 'node:fs'

type Ended = { code: number | null; signal: NodeJS.Signals | null }

/** Calls `end` when the parent process has ended, even by SIGKILL. Does not keep this process alive. */
export function onParentGone(end: () => void): void {
  process.on('disconnect', end)
  // `connected` is false only if there was a channel, so the parent has already ended.
  if (process.connected === false) end()
  process.channel?.unref()
}

// Children must end with this process, even if the terminal signals only this one.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

function track(child: ChildProcess): ChildProcess {
  running.add(child)
  return child.once('close', () => running.delete(child))
}

/** Runs a program until it ends. Rejects only if it cannot be started. */
function run(program: string, args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = track(spawn(program, args, { stdio: 'inherit' }))
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
}

/**
 * Runs a program, and shows its output only if it fails, as the error. Logs `doing` every 10 s. The
 * program inherits `lock`.
 */
export async function runQuietly(
  program: string,
  args: string[],
  options: { doing: string; cwd?: string; env?: NodeJS.ProcessEnv; lock?: number | undefined },
): Promise<void> {
  const { doing, lock, ...rest } = options
  const since = Date.now()
  const progress = setInterval(() => console.error(`  ${Math.round((Date.now() - since) / 1000)} s: ${doing}…`), 10_000)
  try {
    const output: string[] = []
    const { code, signal } = await new Promise<Ended>((resolve, reject) => {
      const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(lock === undefined ? [] : [lock])]
      const child = track(spawn(program, args, { ...rest, stdio }))
      child.stdout?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
      child.stderr?.on('data', (chunk: Buffer) => output.push(chunk.toString()))
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal }))
    })
    if (code !== 0) throw new Error(`${output.join('')}\n${program} ${args.join(' ')} ended with ${code ?? signal}.`)
  } finally {
    clearInterval(progress)
  }
}

/**
 * Runs one of our scripts under an exclusive flock on `file`, and waits for the lock if necessary. The
 * script must then check again whether there is anything left to do.
 */
export async function runLocked(file: string, script: string, args: string[], onWait: () => void): Promise<void> {
  const command = [file, process.execPath, ...process.execArgv, script, ...args]
  const lockedCode = 75
  let ended: Ended
  try {
    ended = await run('flock', ['--no-fork', '--nonblock', '--conflict-exit-code', `${lockedCode}`, ...command])
    if (ended.code === lockedCode) {
      onWait()
      ended = await run('flock', ['--no-fork', ...command])
    }
  } catch (error) {
    // This system has no flock (macOS).
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    ended = await run(process.execPath, [...process.execArgv, script, ...args])
  }
  if (ended.code !== 0) throw new Error(`${script} ended with ${ended.code ?? ended.signal}.`)
}

/** Returns the lock's descriptor in a script run by `runLocked`, for a child that must hold the lock, too. */
export function lockedByFlock(file: string): number | undefined {
  try {
    return readlinkSync('/proc/self/fd/3') === file ? 3 : undefined
  } catch {
    return undefined
  }
}
