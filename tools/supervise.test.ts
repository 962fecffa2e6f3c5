import { type ChildProcess, spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { type SuperviseOptions, supervise } from './supervise.ts'

const DELAYS_MS = [10, 20, 30]

/** A supervised program that runs `scripts` in turn, the last of them for good. */
function open(scripts: string[], options: Partial<SuperviseOptions> = {}) {
  const said: string[] = []
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
    say: (line) => said.push(line),
    giveUp: givenUp.resolve,
    delaysMs: DELAYS_MS,
    ...options,
  })
  onTestFinished(() => program.stop())
  return { program, said, started, givenUp: givenUp.promise }
}

const STEADY = "process.send({ type: 'ready', n: 1 }); setInterval(() => {}, 1000)"
const BROKEN = 'process.exit(3)'

test('starts a program again that was killed, and says so in one line each', async () => {
  const again: unknown[] = []
  const { program, said, started } = open([STEADY], { onReadyAgain: (message) => again.push(message) })
  expect(await program.ready).toEqual({ type: 'ready', n: 1 })
  started[0]?.kill('SIGKILL')
  await expect.poll(() => again).toEqual([{ type: 'ready', n: 1 }])
  expect(said).toEqual(['The program ended (SIGKILL). Starting it again in 0.01 s.', 'Started the program again.'])
})

test('waits longer after each failure', async () => {
  const { program, said } = open([STEADY, BROKEN, BROKEN, STEADY])
  await program.ready
  program.restart()
  await expect.poll(() => said).toContain('Started the program again.')
  expect(
    said.filter((line) => line.includes('Starting it again')).map((line) => /in [\d.]+ s/.exec(line)?.[0]),
  ).toEqual(['in 0.01 s', 'in 0.02 s'])
})

test('gives up on a program that ends before its first start is done', async () => {
  const { givenUp, started } = open([BROKEN])
  expect(await givenUp).toBe('The program ended (exit code 3) during the start.')
  expect(started).toHaveLength(1)
})

test('starts a program again whose process could not be created', async () => {
  const launched: ChildProcess[] = []
  const { program, said } = open([], {
    launch() {
      const command = launched.length === 1 ? '/no/such/program' : process.execPath
      const child = spawn(command, ['-e', STEADY], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      launched.push(child)
      return child
    },
  })
  await program.ready
  launched[0]?.kill('SIGKILL')
  await expect.poll(() => said).toContain('Started the program again.')
  expect(said[1]).toBe('The program could not be started (spawn /no/such/program ENOENT). Starting it again in 0.02 s.')
})

test('gives up on a program that cannot be started again', async () => {
  const { program, givenUp, started } = open([STEADY, BROKEN])
  await program.ready
  started[0]?.kill('SIGKILL')
  expect(await givenUp).toBe('Gave up on the program after 3 failed starts.')
  expect(started).toHaveLength(4)
})

test('leaves a stopped program stopped, also while it waits for its next start', async () => {
  const { program, said, started } = open([STEADY], { delaysMs: [60_000] })
  await program.ready
  started[0]?.kill('SIGKILL')
  await expect.poll(() => said).toHaveLength(1)
  await program.stop()
  expect(program.isRunning()).toBe(false)
  expect(started).toHaveLength(1)
})

test('ends a program that ignores SIGTERM once it is restarted or stopped', async () => {
  const { program, started } = open([`process.on('SIGTERM', () => {}); ${STEADY}`], { stopMs: 100 })
  await program.ready
  await program.stop()
  expect(started[0]?.signalCode).toBe('SIGKILL')
})
