import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createVitest, type TestSpecification } from 'vitest/node'
import { findBrowser } from './browser.ts'
import { buildIfStale } from './build.ts'
import { onParentGone } from './programs.ts'
import { root } from './root.ts'
import { closingLine, count, fullRunKinds, kindOf, kinds, repeatedLines, type Tally, tallyLine } from './tally.ts'

// `npm test` runs all tests, `npm test -- leads` the files with "leads" in their path, `npm test --
// http leads` only one kind of them, `-t "a name"` the tests with that name. `npm test -- proof`
// runs the proofs for minutes, a full run for seconds. `npm test -- browsers` opens every page in
// Firefox and WebKit, and `npm test -- container` builds the image, which a full run does not.
const { values, positionals } = parseArgs({ allowPositionals: true, options: { name: { type: 'string', short: 't' } } })
const namedKinds = kinds.filter((kind) => positionals.includes(kind))
const chosenKinds = namedKinds.length > 0 ? namedKinds : fullRunKinds
const filters = positionals.filter((word) => !kinds.some((kind) => kind === word))
const isFullRun = positionals.length === 0 && values.name === undefined

onParentGone(() => process.exit(130))
process.chdir(root)
// Vitest's own command sets this, too. web/vite.config.ts reads it.
process.env.VITEST = 'true'
// A full run ends with checks that every declared response was returned, and that one folder writes each table.
if (isFullRun) process.env.FULL_RUN = 'yes'
// Proofs are short unless they run alone.
if (chosenKinds.join() === 'proof') process.env.PROOF = 'long'

const since = performance.now()
const vitest = await createVitest({
  config: join(root, 'vitest.config.ts'),
  watch: false,
  // A forgotten `.only` must not shrink a full run.
  allowOnly: !isFullRun,
  ...(values.name === undefined ? {} : { testNamePattern: values.name }),
})
const specifications = (await vitest.globTestSpecifications(filters)).filter(({ project }) => {
  // This project checks what all other tests did, so it makes no sense if some of them are left out.
  if (project.name === 'answers' && (filters.length > 0 || values.name !== undefined)) return false
  return chosenKinds.includes(kindOf(project.name))
})

if (specifications.length === 0 && !isFullRun) {
  console.error(`No test file matches ${positionals.join(' ')}.`)
  await finish(new Map())
} else {
  await prepare(specifications)
    .then(() => runAll(specifications))
    .then(finish)
    .catch(async (error: Error) => {
      console.error(error.message)
      await finish(new Map([['unit', { passed: 0, failed: 1, skipped: 0 }]]))
    })
}

/** Builds what these tests need, and finds a browser if necessary. */
async function prepare(specifications: TestSpecification[]): Promise<void> {
  const needed = new Set(specifications.map((specification) => kindOf(specification.project.name)))
  const say = (line: string) => console.error(line)
  const setBrowser = async () => {
    process.env.CHROMIUM_PATH = await findBrowser(say)
  }
  await Promise.all([
    needed.has('journeys') && setBrowser(),
    (needed.has('journeys') || needed.has('browsers')) && buildIfStale('server', say),
    (needed.size > 1 || !needed.has('unit')) && buildIfStale('web', say),
  ])
}

async function runAll(specifications: TestSpecification[]): Promise<Map<string, Tally>> {
  await vitest.standalone()
  await vitest.runTestSpecifications(specifications, isFullRun)
  return count(vitest.state.getTestModules(), vitest.state.getUnhandledErrors())
}

/** Prints the results by kind, and the total on the last line. */
async function finish(tallies: Map<string, Tally>): Promise<void> {
  const repeated = repeatedLines(vitest.state.getTestModules())
  const missing = isFullRun ? fullRunKinds.filter((kind) => !tallies.get(kind)) : []
  await vitest.close()
  for (const file of [process.env.ANSWERS_FILE, process.env.STATEMENTS_FILE]) rmSync(file ?? '', { force: true })
  console.log('')
  for (const line of repeated) console.log(line)
  for (const [kind, tally] of tallies) console.log(tallyLine(kind, tally))
  for (const kind of missing) console.log(`${kind.padEnd(10)} no test ran: a full run needs tests of every kind`)
  console.log(`\nTook ${Math.round((performance.now() - since) / 1000)} s.`)
  const failed = [...tallies.values()].some((tally) => tally.failed > 0)
  console.log(closingLine(tallies))
  process.exit(failed || missing.length > 0 || tallies.size === 0 ? 1 : 0)
}
