import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { repositoryLanguageProblems } from './language.ts'
import { onParentGone, runQuietly } from './programs.ts'
import { root } from './root.ts'
import { repositoryProblems, sourceFiles } from './structure.ts'

// `npm run check` checks everything that does not require running the product.

type Check = { name: string; work(): Promise<void> }

const workspaces = [...new Set(sourceFiles(root).map((path) => path.split('/')[0] ?? ''))]

/** Workspaces whose types are checked with another one's tsconfig.json, because both include most of the server. */
const typedWith = new Map([
  ['server', 'tools'],
  ['stand-ins', 'tools'],
  ['dev-env', 'tools'],
  ['e2e', 'bench'],
])
const typed = Map.groupBy(workspaces, (name) => typedWith.get(name) ?? name)

const program =
  (name: string, ...args: string[]) =>
  async () => {
    await runQuietly(join(root, 'node_modules', '.bin', name), args, {
      cwd: root,
      doing: `Still running ${[name, ...args.slice(0, 2)].join(' ')}`,
    })
  }

const checks: Check[] = [
  { name: 'format and lint', work: program('biome', 'check', '.') },
  { name: 'import law', work: program('depcruise', '--config', '.dependency-cruiser.cjs', ...workspaces) },
  {
    name: 'structure',
    async work() {
      const problems = repositoryProblems(root)
      if (problems.length > 0) throw new Error(problems.join('\n'))
    },
  },
  {
    name: 'plain English',
    async work() {
      const problems = repositoryLanguageProblems(root)
      if (problems.length > 0) throw new Error(problems.join('\n'))
    },
  },
  // One type checker per workspace would do the same work twice, and slow down the other checks.
  ...[...typed].map(([name, names]) => ({
    name: `types of ${names.join(', ')}`,
    work: program('tsc', '-p', name, '--checkers', '1'),
  })),
]

onParentGone(() => process.exit(130))
const waiting = [...checks]
let failed = false
await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, worker))
process.exitCode = failed ? 1 : 0

async function worker(): Promise<void> {
  for (let check = waiting.shift(); check; check = waiting.shift()) {
    const since = performance.now()
    const problem = await check.work().catch((error: Error) => error)
    const seconds = ((performance.now() - since) / 1000).toFixed(1)
    console.log(`${problem ? '✗' : '✓'} ${check.name} (${seconds} s)`)
    if (problem) {
      failed = true
      console.log(problem.message.trim())
    }
  }
}
