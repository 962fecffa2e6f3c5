import { type ChildProcess, spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { type SuperviseOptions, supervise } from './supervise.ts'

const DELAYS_MS = [10, 20, 30]

/** Supervises a program whose starts run `scripts` in turn, then the last script every time. */
function open(scripts: string[], options: Partial<SuperviseOptions> = {}) {
  const logged: string[] = []
  const started: ChildProcess[] = []
  const givenUp = Promise.withResolvers<string>()
  const program = supervise({
    name: 'program',
    launch() {
      const script = scripts[Math.min(started.length, scripts.length - 1)] ?? ''
      const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      started.push(child)
      return child
    },
    readyType: 'ready',
    say: (line) => logged.push(line),
    giveUp: givenUp.resolve,
    delaysMs: DELAYS_MS,
    ...options,
  })
  onTestFinished(() => program.stop())
  return { program, logged, started, givenUp: givenUp.promise }
}

const STEADY = "process.send({ type: 'ready', n: 1 }); setInterval(() => {}, 1000)"
const BROKEN = 'process.exit(3)'

test('restarts a killed program and logs one line for each step', async () => {
  const again: unknown[] = []
  const { program, logged, started } = open([STEADY], { onReadyAgain: (message) => again.push(message) })
  expect(await program.ready).toEqual({ type: 'ready', n: 1 })
  started[0]?.kill('SIGKILL')
  await expect.poll(() => again).toEqual([{ type: 'ready', n: 1 }])
  expect(logged).toEqual(['The program exited (SIGKILL). Restarting it in 0.01 s.', 'Restarted the program.'])
})

test('waits longer after each failure', async () => {
  const { program, logged } = open([STEADY, BROKEN, BROKEN, STEADY])
  await program.ready
  program.restart()
  await expect.poll(() => logged).toContain('Restarted the program.')
  expect(logged.filter((line) => line.includes('Restarting it')).map((line) => /in [\d.]+ s/.exec(line)?.[0])).toEqual([
    'in 0.01 s',
    'in 0.02 s',
  ])
})

test('gives up on a program that exits during its first start', async () => {
  const { givenUp, started } = open([BROKEN])
  expect(await givenUp).toBe('The program exited (code 3) during startup.')
  expect(started).toHaveLength(1)
})

test('retries if the process could not be created', async () => {
  const launched: ChildProcess[] = []
  const { program, logged } = open([], {
    launch() {
      const command = launched.length === 1 ? '/no/such/program' : process.execPath
      const child = spawn(command, ['-e', STEADY], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      launched.push(child)
      return child
    },
  })
  await program.ready
  launched[0]?.kill('SIGKILL')
  await expect.poll(() => logged).toContain('Restarted the program.')
  expect(logged[1]).toBe('The program could not be started (spawn /no/such/program ENOENT). Restarting it in 0.02 s.')
})

test('gives up after the last failed restart', async () => {
  const { program, givenUp, started } = open([STEADY, BROKEN])
  await program.ready
  started[0]?.kill('SIGKILL')
  expect(await givenUp).toBe('Gave up on the program after 3 failed starts.')
  expect(started).toHaveLength(4)
})

test('does not restart a stopped program that was waiting for its restart', async () => {
  const { program, logged, started } = open([STEADY], { delaysMs: [60_000] })
  await program.ready
  started[0]?.kill('SIGKILL')
  await expect.poll(() => logged).toHaveLength(1)
  await program.stop()
  expect(program.isRunning()).toBe(false)
  expect(started).toHaveLength(1)
})

test('kills a stopped program that ignores SIGTERM', async () => {
  const { program, started } = open([`process.on('SIGTERM', () => {}); ${STEADY}`], { stopMs: 100 })
  await program.ready
  await program.stop()
  expect(started[0]?.signalCode).toBe('SIGKILL')
})
