import type { TestModule } from 'vitest/node'

export const kinds = ['unit', 'http', 'journeys', 'proof', 'browsers', 'container'] as const
type Kind = (typeof kinds)[number]

/** Kinds in a full run. The others only run if named. */
export const fullRunKinds = kinds.filter((kind) => kind !== 'browsers' && kind !== 'container')

/** Numbers of tests by result. */
export type Tally = { passed: number; failed: number; skipped: number }

/**
 * Returns the kind of a Vitest project. `web` and `extension` are unit tests; `answers` checks the
 * responses and statements of the HTTP tests.
 */
export function kindOf(project: string): Kind {
  if (project === 'answers') return 'http'
  return kinds.find((kind) => kind === project) ?? 'unit'
}

/** Counts results by kind. Files that don't load, unfinished tests and uncaught errors count as failures. */
export function count(
  modules: Iterable<Pick<TestModule, 'project' | 'children' | 'errors'>>,
  uncaught: readonly unknown[],
): Map<Kind, Tally> {
  const tallies = new Map<Kind, Tally>()
  const of = (kind: Kind) => {
    const tally = tallies.get(kind) ?? { passed: 0, failed: 0, skipped: 0 }
    tallies.set(kind, tally)
    return tally
  }
  for (const module of modules) {
    const tally = of(kindOf(module.project.name))
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      tally[state === 'pending' ? 'failed' : state] += 1
    }
    for (const suite of module.children.allSuites()) tally.failed += suite.errors().length
    tally.failed += module.errors().length
  }
  if (uncaught.length > 0) of('unit').failed += uncaught.length
  // Kinds in a fixed order, without those that ran no test.
  return new Map(
    kinds.flatMap((kind) => {
      const tally = tallies.get(kind)
      return tally && tally.passed + tally.failed > 0 ? [[kind, tally] as const] : []
    }),
  )
}

/** Lists tests that failed at first and passed when repeated, each with its first error. */
export function repeatedLines(modules: Iterable<Pick<TestModule, 'children'>>): string[] {
  return [...modules].flatMap((module) =>
    [...module.children.allTests()]
      .filter((test) => test.diagnostic()?.flaky)
      .map((test) => `passed when repeated: ${test.fullName}: ${test.result().errors?.[0]?.message ?? 'no error'}`),
  )
}

export function tallyLine(kind: string, { passed, failed, skipped }: Tally): string {
  const rest = skipped > 0 ? `, ${skipped} skipped` : ''
  return `${kind.padEnd(10)} ${passed} passed, ${failed} failed${rest}`
}

/** Returns the last line of every run: "N passed, N failed", over all kinds. */
export function closingLine(tallies: Map<string, Tally>): string {
  const sum = (key: keyof Tally) => [...tallies.values()].reduce((total, tally) => total + tally[key], 0)
  return `${sum('passed')} passed, ${sum('failed')} failed`
}
