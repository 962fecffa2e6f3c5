import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './root.ts'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name).sort()

/** The settings of the server. */
const settings = namesIn(
  /const Variables = z\.object\(\{(.*?)^\}\)/ms.exec(read('server/src/env.ts'))?.[1] ?? '',
  /^ {2}([A-Z][A-Z0-9_]+):/gm,
)
/** What only compose.yaml reads. */
const composeOnly = ['POSTGRES_PASSWORD']

test('.env.example lists every setting once', () => {
  expect(settings.length).toBeGreaterThan(40)
  expect(namesIn(read('.env.example'), /^#?([A-Z][A-Z0-9_]+)=/gm)).toEqual([...settings, ...composeOnly].sort())
})

test("README's table explains every setting once", () => {
  const cells = [...read('README.md').matchAll(/^\| (`[A-Z][^|]*) \|/gm)].map(([, cell = '']) => cell).join()
  expect(namesIn(cells, /`([A-Z][A-Z0-9_]+)`/g)).toEqual(settings)
})

test('npm start and compose.yaml read nothing else', () => {
  const internal = ['INIT_CWD', 'NODE_COMPILE_CACHE', 'PATH', 'STARTING_SINCE']
  const sources = globSync('dev-env/**/*.{ts,mjs}', { cwd: root, exclude: ['**/node_modules', '**/*.test.ts'] })
  const names = sources.flatMap((path) => namesIn(read(path), /\benv\.([A-Z][A-Z0-9_]+)\b/g))
  expect(names).toContain('STAND_INS')
  expect(names.filter((name) => ![...settings, ...internal].includes(name))).toEqual([])
  const inCompose = namesIn(read('compose.yaml'), /\$\{([A-Z0-9_]+)/g)
  expect(inCompose.filter((name) => ![...settings, ...composeOnly].includes(name))).toEqual([])
})
