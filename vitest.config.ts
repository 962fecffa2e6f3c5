import { existsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

// The kinds of tests are told apart by place and name alone, so that a new test file needs no entry here.
const onTheDatabase = [
  'server/src/**/{routes,service}*.test.ts',
  'server/src/**/*.{routes,service}.test.ts',
  'server/src/{jobs,edges,requests}/**/*.test.ts',
  'server/test/**/*.test.ts',
]

// Test apps note here which answers they gave; declared-answers.spec.ts reads it when all have run.
process.env.ANSWERS_FILE ??= join(tmpdir(), `x-automated-answers-${process.pid}.txt`)

// Two at least: Vitest puts projects with one worker behind all groups, whatever their groupOrder.
const maxWorkers = Math.min(8, Math.max(2, availableParallelism()))

/** As long as anything here takes on a machine that does much else besides: Vitest's own second is too little. */
const poll = { timeout: 20_000 }

const present = (...files: string[]) => files.filter((file) => existsSync(new URL(file, import.meta.url)))

/** Run by tools/test.ts, which counts the projects as kinds: unit (with web), http, journeys. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{contract,server,stand-ins,extension,tools,bench}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...onTheDatabase],
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
          include: onTheDatabase,
          exclude: ['**/node_modules/**'],
          maxWorkers,
          globalSetup: present('./server/test/global-setup.ts'),
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
          globalSetup: present('./e2e/global-setup.ts'),
          // Each has a browser, a server and a database: when all else is done, and three at once even on two cores, as much of
          // their time is waiting.
          sequence: { groupOrder: 1 },
          maxWorkers: Math.max(3, Math.floor(availableParallelism() / 2)),
          // Those that go through all pages take over a minute where nothing else runs.
          testTimeout: 240_000,
          hookTimeout: 120_000,
          expect: { poll },
        },
      },
    ],
  },
})
