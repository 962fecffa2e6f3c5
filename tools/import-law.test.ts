import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { root } from './root.ts'

// Each file breaks only the rule that it is listed under.
const breaking: [rule: string, path: string, text: string][] = [
  ['contract-imports-nothing', 'contract/src/a.ts', "import '../../server/src/db/columns.ts'"],
  ['contract-does-no-io', 'contract/src/b.ts', "import 'node:fs'"],
  ['identity-imports-no-later-area', 'contract/src/identity/a.ts', "import '../leads/a.ts'"],
  ['identity-imports-no-later-area', 'server/src/domains/identity/a/a.ts', "import '../../platform/a/a.ts'"],
  ['platform-imports-no-later-area', 'web/app/features/platform/a/a.ts', "import type { A } from '../../leads/a/a.ts'"],
  ['waitlist-imports-no-later-area', 'contract/src/waitlist/a.ts', "import { type A } from '../leads/a.ts'"],
  ['leads-imports-no-later-area', 'contract/src/leads/b.ts', "import '../outreach/a.ts'"],
  ['outreach-imports-no-later-area', 'contract/src/outreach/b.ts', "import '../overview/a.ts'"],
  ['shared-contract-imports-no-area', 'contract/src/c.ts', "import './leads/a.ts'"],
  ['web-imports-only-the-contract', 'web/app/a.ts', "import '../../server/src/db/columns.ts'"],
  ['server-imports-only-the-contract', 'server/src/a.ts', "import '../../stand-ins/src/x.ts'"],
  ['server-imports-only-the-contract', 'server/src/e.ts', "import '../../dev-env/a.ts'"],
  ['contract-imports-nothing', 'contract/src/d.ts', "import '../../dev-env/a.ts'"],
  ['web-imports-only-the-contract', 'web/app/b.ts', "import '../../dev-env/a.ts'"],
  ['stand-ins-never-import-the-product', 'stand-ins/src/b.ts', "import '../../dev-env/a.ts'"],
  ['tools-never-import-dev-env', 'tools/a.ts', "import '../dev-env/a.ts'"],
  ['stand-ins-never-import-the-product', 'stand-ins/src/a.ts', "import '../../server/src/db/columns.ts'"],
  ['tables-come-first', 'server/src/domains/a/a/tables.ts', "import '../b/b.ts'"],
  ['rules-are-pure', 'server/src/domains/a/a/rules.ts', "import '../../../db/columns.ts'"],
  ['rules-are-pure', 'server/src/domains/a/b/rules.ts', "import type { A } from './engine-a.ts'"],
  ['rules-do-no-io', 'server/src/domains/a/c/rules.ts', "import 'node:fs'"],
  ['domains-never-import-their-callers', 'server/src/domains/a/a/a.ts', "import { type App } from '../../../app.ts'"],
  [
    'domains-never-import-their-callers',
    'server/src/domains/a/a/engine.ts',
    "import type { Q } from '../../../jobs/queue.ts'",
  ],
  ['routes-only-call-domains', 'server/src/domains/a/a/routes.ts', "import './tables.ts'"],
  ['core-imports-no-domain', 'server/src/core/a/a.ts', "import '../../domains/a/b/b.ts'"],
  ['jobs-and-edges-call-domains', 'server/src/jobs/a.ts', "import '../domains/a/c/rules.ts'"],
  ['jobs-and-edges-call-domains', 'server/src/edges/a.ts', "import '../domains/a/e/tables.ts'"],
  ['outside-imports-no-domain', 'server/src/outside/a.ts', "import '../domains/a/b/b.ts'"],
  ['ui-imports-no-feature', 'web/app/ui/a.ts', "import '../features/a/b.ts'"],
  ['pages-are-on-top', 'web/app/features/a/a.ts', "import '../../pages/a.ts'"],
  ['no-product-code-from-tests', 'server/src/b.ts', "import './c.test.ts'"],
  ['no-circles', 'server/src/circle.ts', "import type { A } from './circle-end.ts'\nexport type B = A"],
  ['nothing-unresolved', 'server/src/d.ts', "import './missing.ts'"],
]

const folder = mkdtempSync(join(tmpdir(), 'x-automated-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const neutral: Record<string, string> = {
  'server/src/db/columns.ts': '',
  'contract/src/leads/a.ts': '',
  'contract/src/outreach/a.ts': '',
  'contract/src/overview/a.ts': '',
  'server/src/domains/platform/a/a.ts': '',
  'web/app/features/leads/a/a.ts': '',
  'server/src/jobs/queue.ts': '',
  'server/src/domains/a/b/b.ts': "import './rules.ts'",
  'server/src/domains/a/e/tables.ts': '',
  'server/src/core/a/b.ts': "import '../../domains/a/e/tables.ts'",
  'server/src/domains/overview/a/a.ts': "import '../../../core/a/b.ts'",
  'server/src/jobs/sender.ts': "import '../core/a/b.ts'",
  'server/src/domains/a/d/rules.ts': "import '../c/rules.ts'",
  'server/src/domains/a/b/engine-a.ts': 'export type A = string',
  'server/src/app.ts': 'export type App = string',
  'server/src/circle-end.ts': "import type { B } from './circle.ts'\nexport type A = B",
  'server/src/c.test.ts': '',
  'stand-ins/src/x.ts': '',
  'dev-env/a.ts': "import '../tools/b.ts'\nimport '../server/src/db/columns.ts'",
  'tools/b.ts': '',
  'web/app/pages/a.ts': "import '../features/a/b.ts'",
  'web/app/features/a/b.ts': '',
}

test('reports each violation of the import law and nothing else', () => {
  const files = { ...neutral, ...Object.fromEntries(breaking.map(([, path, text]) => [path, text])) }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const depcruise = join(root, 'node_modules', '.bin', 'depcruise')
  const config = join(root, '.dependency-cruiser.cjs')
  const { stdout } = spawnSync(
    depcruise,
    ['--config', config, '-T', 'json', 'contract', 'server', 'web', 'stand-ins', 'dev-env', 'tools'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  )
  const { summary } = JSON.parse(stdout) as { summary: { violations: { from: string; rule: { name: string } }[] } }
  // A cycle may be reported in any of its files.
  const caught = new Set(
    summary.violations.map(({ from, rule }) => `${rule.name}: ${from.replace('circle-end', 'circle')}`),
  )
  expect([...caught].sort()).toEqual(breaking.map(([rule, path]) => `${rule}: ${path}`).sort())
})
