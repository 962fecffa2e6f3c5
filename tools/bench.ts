import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

// `npm run bench [name…]` runs the benchmarks in bench/, each in its own process, so that no benchmark
// warms up another one.

const folder = join(root, 'bench')
const all = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
const names = process.argv.slice(2)
const unknown = names.find((name) => !existsSync(join(folder, `${name}.ts`)))
if (unknown) {
  console.error(`There is no benchmark "${unknown}". Choose from: ${all.join(', ')}.`)
  process.exit(1)
}
for (const name of names.length > 0 ? names : all) {
  console.log(`\n${name}`)
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(folder, `${name}.ts`)], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
