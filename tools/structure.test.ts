import { expect, test } from 'vitest'
import { root } from './root.ts'
import { lockfileProblems, ownerProblems, sizeProblems, sourceFiles, structureProblems } from './structure.ts'

const problems = (path: string, text = '') => structureProblems([path], () => text)

test.each([
  'server/src/domains/leads/leads/leads.ts',
  'server/src/domains/leads/leads/pages.ts',
  'server/src/domains/leads/leads/routes.test.ts',
  'server/src/domains/leads/leads/routes-import.test.ts',
  'server/src/domains/leads/leads/identity.http.test.ts',
  'server/src/db/open.ts',
  'web/app/ui/button.tsx',
  'dev-env/launch.mjs',
])('accepts %s', (path) => {
  expect(problems(path)).toEqual([])
})

test.each([
  ['web/app/ui/StatCard.tsx', 'kebab-case'],
  ['contract/src/index.ts', 'no barrels'],
  ['web/app/utils/format.ts', 'no folder named utils'],
  ['server/src/helpers/db/open.ts', 'no folder named'],
  ['server/src/domains/leads/lists/service.ts', 'after its layer'],
])('rejects %s with “%s”', (path, problem) => {
  expect(problems(path)).toEqual([expect.stringContaining(problem)])
})

test('lets only env.ts and main.ts read the environment', () => {
  const reading = 'const port = process.env.PORT'
  expect(problems('server/src/app.ts', reading)).toHaveLength(1)
  expect(problems('server/src/env.ts', reading)).toEqual([])
  expect(problems('server/src/main.ts', reading)).toEqual([])
  expect(problems('server/src/app.test.ts', reading)).toEqual([])
})

test.each([
  `sql\`\${sql.raw(lead)}.replied_at is null\``,
  `sql.raw(\`\${lead}.replied_at is null\`)`,
  `sql\`select \${lead}.id\``,
  `sql\`\${sql.identifier(lead)}.x_user_id\``,
])('rejects an alias without a type: %s', (text) => {
  expect(problems('server/src/core/tables/leads.ts', text)).toContainEqual(expect.stringContaining('typed aliases'))
  expect(problems('server/src/core/tables/leads.test.ts', text)).toEqual([])
})

test('accepts a typed alias', () => {
  const text = `sql\`\${lead.repliedAt} < l.replied_at and \${LIMIT}\`; \`\${path}.html\``
  expect(problems('server/src/core/tables/leads.ts', text)).toEqual([])
})

test.each([
  "import {\n  dms,\n  enrollments as people,\n} from '../../core/tables/sequences.ts'\nawait tx.update(people).set({})",
  "import { leadLists } from './tables.ts'\nawait app.db\n  .insert(leadLists)\n  .values({})",
  'sql`with made as (insert into leads (name) values ($1)) select 1`',
  'sql`\n  update dms d set status = 1`',
  "client.query('delete from leads where id = $1')",
])('rejects a test that changes a table itself: %s', (text) => {
  expect(problems('server/src/core/a.test.ts', text)).toEqual([expect.stringContaining('verbs of server/test')])
  expect(problems('server/test/leads.ts', text)).toEqual([])
})

test('accepts a test that reads tables, changes other things and empties the job queue', () => {
  const text =
    "import { dms } from './tables.ts'\ndb.select().from(dms); running.delete(name); sql`delete from pgboss.job`"
  expect(problems('server/src/core/a.test.ts', text)).toEqual([])
})

test('rejects production files of more than 500 lines', () => {
  const problemsOf = (path: string, lines: number) => sizeProblems([path], () => 'x\n'.repeat(lines))
  expect(problemsOf('server/src/app.ts', 500)).toEqual([])
  expect(problemsOf('server/src/app.ts', 501)).toEqual([expect.stringContaining('501 lines')])
  expect(problemsOf('server/src/app.test.ts', 501)).toEqual([])
})

test('rejects short files that one production file imports', () => {
  const texts: Record<string, string> = {
    'web/app/a.tsx': "import { c } from './ui/c'\nimport { limit } from '@x-automated/contract/limit'\n",
    'web/app/b.ts': "const c = () => import('./ui/c')\n",
    'web/app/b.test.ts': "import { limit } from '@x-automated/contract/limit'\n",
    'web/app/ui/c.tsx': 'export const c = 1\n',
    'contract/src/limit.ts': 'export const limit = 1\n',
  }
  expect(sizeProblems(Object.keys(texts), (path) => texts[path] ?? '')).toEqual([
    'contract/src/limit.ts: 1 lines that only web/app/a.tsx imports belong there',
  ])
})

test('reads every workspace but nothing installed or built', () => {
  const files = sourceFiles(root)
  expect(files).toEqual(
    expect.arrayContaining(['tools/structure.ts', 'server/src/main.ts', 'contract/src/contract.ts']),
  )
  expect(files.filter((path) => /node_modules|\/build\/|\/migrations\//.test(path))).toEqual([])
})

test('rejects a lockfile that names a registry', () => {
  const packages = {
    '': {},
    'node_modules/a': { version: '1.0.0' },
    'node_modules/ours': { resolved: 'ours', link: true },
  }
  expect(lockfileProblems(JSON.stringify({ packages }))).toEqual([])
  const named = { ...packages, 'node_modules/b': { resolved: 'https://registry.example/b.tgz' } }
  expect(lockfileProblems(JSON.stringify({ packages: named }))).toEqual([expect.stringContaining('node_modules/b')])
})

test('every table has an owner', () => {
  const owners = JSON.stringify({ tables: { core: ['leads'], packages: ['rate_limits'] } })
  expect(ownerProblems('create table leads (\n);\ncreate table rate_limits (\n);', owners)).toEqual([])
  expect(ownerProblems('create table leads (\n);\ncreate table tags (\n);', owners)).toEqual([
    'server/test/table-owners.json: tags: no folder owns this table.',
    'server/test/table-owners.json: rate_limits: no such table.',
  ])
  const twice = JSON.stringify({ tables: { core: ['leads'], packages: ['leads'] } })
  expect(ownerProblems('create table leads (\n);', twice)).toEqual([
    'server/test/table-owners.json: leads: two folders own it.',
  ])
})
