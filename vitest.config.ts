import { existsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// Path and name alone decide the kind of a test, so a new test file needs no entry here.
const databaseTests = [
  'server/src/**/{routes,service}*.test.ts',
  'server/src/**/*.{routes,service}.test.ts',
  'server/src/{jobs,edges,requests}/**/*.test.ts',
  'server/test/**/*.test.ts',
]

// Test apps record their responses here; declared-answers.spec.ts reads them at the end.
process.env.ANSWERS_FILE ??= join(tmpdir(), `x-automated-answers-${process.pid}.txt`)

// At least two: Vitest runs projects with one worker after all groups, whatever their groupOrder.
const maxWorkers = Math.min(8, Math.max(2, availableParallelism()))

/** Enough on a busy machine, unlike Vitest's default of one second. */
const poll = { timeout: 20_000 }

const existing = (...files: string[]) => files.filter((file) => existsSync(new URL(file, import.meta.url)))

/** Run by tools/test.ts, which counts the projects as kinds: unit (with web), http, journeys. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{contract,server,stand-ins,extension,tools,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...databaseTests],
          maxWorkers,
          // Tests of the stand-ins, the launcher and the bundled database start processes.
          testTimeout: 60_000,
          hookTimeout: 30_000,
          expect: { poll },
        },
      },
      {
        extends: './web/vite.config.ts',
        root: './web',
        test: {
          name: 'web',
          include: ['{app,embed}/**/*.test.{ts,tsx}', '{build-steps,legal}/**/*.test.ts'],
          maxWorkers,
          testTimeout: 30_000,
          expect: { poll },
        },
      },
      {
        test: {
          name: 'http',
          include: databaseTests,
          exclude: ['**/node_modules/**'],
          maxWorkers,
          globalSetup: existing('./server/test/global-setup.ts'),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll },
        },
      },
      {
        test: { name: 'answers', include: ['server/test/declared-answers.spec.ts'], sequence: { groupOrder: 2 } },
      },
      {
        test: {
          name: 'journeys',
          include: ['e2e/journeys/**/*.spec.ts', 'tools/**/*.spec.ts'],
          globalSetup: existing('./e2e/global-setup.ts'),
          // They run last, because each starts a browser, a server and a database. Three in
          // parallel even on two cores, because they mostly wait.
          sequence: { groupOrder: 1 },
          maxWorkers: Math.max(3, Math.floor(availableParallelism() / 2)),
          // The journeys through all pages take over a minute on an idle machine.
          testTimeout: 240_000,
          hookTimeout: 120_000,
          expect: { poll },
        },
      },
    ],
  },
})
