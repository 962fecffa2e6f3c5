import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { root } from './root.ts'
import { filesIn } from './structure.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** The rows of a table in docs/operations.md: the first cell, without backquotes, and the last one. */
function tableBelow(heading: string): Map<string, string> {
  const [, section = ''] = read('docs/operations.md').split(`### ${heading}\n`)
  const [table = ''] = section.split(/^#/m)
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  return new Map(
    rows.map((row) => row.slice(2, -2).split(' | ')).map((cells) => [cells[0]!.slice(1, -1), cells.at(-1)!]),
  )
}

/** Messages of level error and fatal in the server's code. A name stands for a constant of its file. */
function errorMessages(): string[] {
  return filesIn(root, 'server/src', /(?<!\.test)\.ts$/).flatMap((path) => {
    const text = read(path)
    return [...text.matchAll(/\blog\.(?:error|fatal)\((?:[^()]|\([^()]*\))*?,\s*(?:'([^']+)'|(\w+))\s*\)/g)].map(
      ([, message, name]) =>
        message ?? new RegExp(`const ${name} =\\s*'([^']+)'`).exec(text)?.[1] ?? `${path}: ${name}`,
    )
  })
}

/** One sentence that tells the reader to do something, or to do nothing. */
const ADVICE = /^[A-Z][^.]*(?:\.\w[^.]*)*\.$/

test('docs/operations.md says what to do about every error in the log', () => {
  const advice = tableBelow('Errors in the log')
  const calls = filesIn(root, 'server/src', /(?<!\.test)\.ts$/).flatMap((path) => [
    ...read(path).matchAll(/\blog\.(error|fatal)\(/g),
  ])
  expect(errorMessages()).toHaveLength(calls.length)
  expect([...advice.keys()].sort()).toEqual([...new Set(errorMessages())].sort())
  for (const [message, sentence] of advice) expect(sentence, message).toMatch(ADVICE)
})

test('docs/operations.md says what to do about every alert', () => {
  const { groups } = parse(read('deploy/alerts.yaml')) as { groups: { rules: { alert: string }[] }[] }
  const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))
  const advice = tableBelow('Alerts')
  expect([...advice.keys()]).toEqual(alerts)
  for (const [alert, sentence] of advice) expect(sentence, alert).toMatch(ADVICE)
})
