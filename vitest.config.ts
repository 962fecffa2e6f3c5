import { existsSync, globSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Path and name alone decide the kind of a test, so a new test file needs no entry here.
const databaseTests = [
  'server/src/**/routes*.test.ts',
  'server/src/**/*.http.test.ts',
  'server/src/core/messages/*.test.ts',
  'server/src/{jobs,edges,requests}/**/*.test.ts',
  'server/test/**/*.test.ts',
]

/** Properties and disasters that are tested longer with `npm test -- proof`. */
const proofs = ['{server/test,dev-env}/**/*-proof.test.ts']

// Test apps record their responses here; declared-answers.spec.ts reads them at the end.
process.env.ANSWERS_FILE ??= join(tmpdir(), `x-automated-answers-${process.pid}.txt`)
// A full run also records the SQL statements that write, for statements.spec.ts.
if (process.env.FULL_RUN) process.env.STATEMENTS_FILE ??= join(tmpdir(), `x-automated-statements-${process.pid}.txt`)

/**
 * One worker more than there are processors, because tests also wait. PostgreSQL, browsers and servers
 * need processors, too: with more workers, the 10 seconds to press Undo pass before a test presses it.
 */
const maxWorkers = Math.min(8, availableParallelism() + 1)

/** Enough on a busy machine, unlike Vitest's default of one second. */
const poll = { timeout: 60_000 }

/**
 * A full run repeats a failed test of `http` or `journeys` once, because timers and browsers are
 * unreliable on a busy machine, and names it at the end (tools/tally.ts).
 */
const retry = process.env.FULL_RUN ? 1 : 0

const existing = (...files: string[]) => files.filter((file) => existsSync(new URL(file, import.meta.url)))

const webTests = ['{app,embed}/**/*.test.{ts,tsx}', '{build-steps,legal}/**/*.test.ts']
/** Files that mock modules. If they shared modules, a mock would stay mocked, and an earlier import would stay real. */
const webMocks = globSync(webTests, { cwd: new URL('./web', import.meta.url) }).filter((file) =>
  readFileSync(new URL(`./web/${file}`, import.meta.url), 'utf8').includes('vi.mock('),
)
const web = { maxWorkers, testTimeout: 120_000, unstubGlobals: true, expect: { poll } }

/** Starts the kinds with the longest files first, so that no worker waits for one at the end. */
class LongestKindFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const order = ['proof', 'journeys', 'http', 'unit', 'web', 'web-mocks', 'extension']
    const rank = ({ project }: TestSpecification) => order.indexOf(project.name)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/** tools/test.ts runs these projects and counts their tests by kind (tally.ts). */
export default defineConfig({
  test: {
    sequence: { sequencer: LongestKindFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{contract,server,stand-ins,dev-env,tools,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...databaseTests, ...proofs],
          maxWorkers,
          // No file here mocks modules, and mocked globals are restored, so the files of a worker share both.
          isolate: false,
          // Tests of the stand-ins, the launcher and the bundled database start processes.
          testTimeout: 180_000,
          hookTimeout: 120_000,
          expect: { poll },
        },
      },
      { test: { name: 'extension', include: ['extension/**/*.test.ts'], maxWorkers } },
      {
        extends: './web/vite.config.ts',
        root: './web',
        test: { ...web, name: 'web', include: webTests, exclude: webMocks, isolate: false },
      },
      { extends: './web/vite.config.ts', root: './web', test: { ...web, name: 'web-mocks', include: webMocks } },
      {
        test: {
          name: 'http',
          retry,
          include: databaseTests,
          exclude: ['**/node_modules/**', ...proofs],
          maxWorkers,
          globalSetup: existing('./server/test/global-setup.ts'),
          setupFiles: existing('./server/test/setup.ts'),
          // Importing the app takes seconds, so the files of a worker share their modules.
          isolate: false,
          testTimeout: 180_000,
          hookTimeout: 120_000,
          expect: { poll },
        },
      },
      {
        test: {
          name: 'proof',
          include: proofs,
          maxWorkers,
          globalSetup: existing('./server/test/global-setup.ts'),
          setupFiles: existing('./server/test/setup.ts'),
          testTimeout: 600_000,
          hookTimeout: 120_000,
          expect: { poll },
        },
      },
      {
        test: { name: 'answers', include: ['server/test/*.spec.ts'], sequence: { groupOrder: 1 } },
      },
      {
        test: {
          name: 'journeys',
          retry,
          include: ['e2e/journeys/**/*.spec.ts'],
          globalSetup: existing('./e2e/global-setup.ts'),
          setupFiles: existing('./server/test/setup.ts'),
          // The journeys of a worker share their modules and the browser.
          isolate: false,
          maxWorkers,
          testTimeout: 600_000,
          hookTimeout: 120_000,
          expect: { poll },
        },
      },
      {
        test: {
          name: 'browsers',
          include: ['e2e/browsers/**/*.spec.ts'],
          globalSetup: existing('./e2e/global-setup.ts'),
          setupFiles: existing('./server/test/setup.ts'),
          maxWorkers,
          testTimeout: 1_800_000,
          hookTimeout: 120_000,
          expect: { poll },
        },
      },
      {
        test: {
          name: 'container',
          include: ['e2e/container/**/*.spec.ts'],
          globalSetup: existing('./server/test/global-setup.ts'),
          testTimeout: 300_000,
          // Installs and builds everything.
          hookTimeout: 1_800_000,
          expect: { poll },
        },
      },
    ],
  },
})
