import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from 'node:child_process'
import { readlinkSync } from 'node:fs'

export type Ended = { code: number | null; signal: NodeJS.Signals | null }

/** Calls `end` when the process that started this one is gone, however it ended. Waiting for that keeps no process running. */
export function onParentGone(end: () => void): void {
  process.on('disconnect', end)
  // False only if there was a channel: the parent ended before anyone listened.
  if (process.connected === false) end()
  process.channel?.unref()
}

// What we run ends when we do, and not only when the terminal sends its signal to all.
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

function track(child: ChildProcess): ChildProcess {
  running.add(child)
  return child.once('close', () => running.delete(child))
}

/** Runs a program to its end. Rejects only when it cannot be run at all. */
export function run(program: string, args: string[], options: SpawnOptions = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = track(spawn(program, args, { stdio: 'inherit', ...options }))
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
}

/**
 * Runs a program to its end with its output held back, and throws with all of that output when it fails.
 * Every 10 s it says what it is `doing`. `lock` is a descriptor that the program shall keep open.
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
    const words: string[] = []
    const { code, signal } = await new Promise<Ended>((resolve, reject) => {
      const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...(lock === undefined ? [] : [lock])]
      const child = track(spawn(program, args, { ...rest, stdio }))
      child.stdout?.on('data', (chunk: Buffer) => words.push(chunk.toString()))
      child.stderr?.on('data', (chunk: Buffer) => words.push(chunk.toString()))
      child.on('error', reject)
      child.on('close', (code, signal) => resolve({ code, signal }))
    })
    if (code !== 0) throw new Error(`${words.join('')}\n${program} ${args.join(' ')} ended with ${code ?? signal}.`)
  } finally {
    clearInterval(progress)
  }
}

/**
 * Runs a script of ours while it alone holds the lock on `file`, which the kernel keeps as long as the script lives.
 * The script looks again whether there is anything left to do. Throws when it fails; it has said why.
 */
export async function runLocked(file: string, script: string, args: string[], onWait: () => void): Promise<void> {
  const command = [file, process.execPath, ...process.execArgv, script, ...args]
  const taken = 75
  let ended: Ended
  try {
    ended = await run('flock', ['--no-fork', '--nonblock', '--conflict-exit-code', `${taken}`, ...command])
    if (ended.code === taken) {
      onWait()
      ended = await run('flock', ['--no-fork', ...command])
    }
  } catch (error) {
    // A system without flock, such as macOS.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    ended = await run(process.execPath, [...process.execArgv, script, ...args])
  }
  if (ended.code !== 0) throw new Error(`${script} ended with ${ended.code ?? ended.signal}.`)
}

/** Within a script run by runLocked: the descriptor that holds the lock, to hand on to a program that must keep it. */
export function lockedByFlock(file: string): number | undefined {
  try {
    return readlinkSync('/proc/self/fd/3') === file ? 3 : undefined
  } catch {
    return undefined
  }
}
