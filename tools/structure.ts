import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { formProblems } from './forms.ts'

const kebabCase = /^[a-z0-9]+([.-][a-z0-9]+)*$/
const vagueFolder = /(^|\/)(utils?|helpers?|misc|common|lib)\//
const serverSource = /^server\/src\/.*(?<!\.test)\.ts$/
const environmentReader = /^server\/src\/(env|main)\.ts$/

/** Finds problems with the names and locations of these files. Paths are relative to the root, with slashes. */
export function structureProblems(files: readonly string[], read: (path: string) => string): string[] {
  return files.flatMap((path) => {
    const problems: string[] = []
    const name = basename(path)
    if (!kebabCase.test(name)) problems.push('file names are kebab-case')
    if (/^index\.tsx?$/.test(name)) problems.push('no barrels: import from the defining file')
    if (/(^|\/)service\.ts$/.test(path)) problems.push('no file is named after its layer: name it after its chapter')
    if (vagueFolder.test(path)) problems.push(`no folder named ${basename(dirname(path))}: name it after its contents`)
    if (serverSource.test(path)) {
      const text = read(path)
      if (!environmentReader.test(path) && text.includes('process.env'))
        problems.push('only env.ts may read process.env')
      problems.push(...aliasProblems(text))
    }
    if (serverTest.test(path)) problems.push(...writeProblems(read(path)))
    return problems.map((problem) => `${path}: ${problem}`)
  })
}

/** A column after a value that is inserted into SQL: `${lead}.id`, `${lead}.x_user_id`. TypeScript cannot check it. */
const untypedColumn = /\$\{[^{}]+\}\.(id|[a-z]+(_[a-z]+)+)\b/g

/** Finds untyped columns. SQL must use tables or typed aliases, so that a misspelled column does not compile. */
function aliasProblems(text: string): string[] {
  const untyped = [...text.matchAll(untypedColumn)].map(([column]) => column)
  if (/\bsql\s*\.raw\b/.test(text)) untyped.push('sql.raw')
  return untyped.map(
    (violation) =>
      `${violation}: SQL names rows by typed aliases (AliasOf in db/columns.ts), and constants by inlineParams()`,
  )
}

const serverTest = /^server\/src\/.*\.test\.ts$/
const tablesImport = /import \{([^}]*)\} from '[^']*\/tables(?:\/[^']+)?\.ts'/g
const tableWrite = /\.(?:insert|update|delete)\((\w+)\)/g
const sqlWrite = /\b(?:insert into \S+ \(|delete from [\w${}]+(?!\.)\b|update [^\s.]+ (?:\w+ )?set\b)/g

/** Finds writes to tables in a test. Tests must use server/test instead, so that columns are named in one place. */
function writeProblems(text: string): string[] {
  const imports = [...text.matchAll(tablesImport)].flatMap(([, names = '']) => names.split(','))
  const tables = new Set(imports.map((name) => name.trim().replace(/^.* as /, '')))
  const writes = [...text.matchAll(tableWrite)].filter(([, name = '']) => tables.has(name))
  return [...writes, ...text.matchAll(sqlWrite)].map(
    ([write]) => `${write}: tests change tables by verbs of server/test`,
  )
}

const LONGEST = 500
const SHORT = 20
const isMeasured = (path: string) =>
  /\.(tsx?|mjs)$/.test(path) &&
  !/\.(test|spec)\.tsx?$|\/test\/|^(e2e|bench)\/|\.generated\.|\.d\.ts$|\.config\.(ts|mjs)$/.test(path)
/** Exempt from merging: operations, routes and tables, one file per domain. */
const isListed =
  /^contract\/src\/[^/]+\/[^/]+\.ts$|^server\/src\/(domains\/.*\/routes|.*\/tables|core\/tables\/.*)\.ts$/
const withoutExtension = (path: string) => path.replace(/\.(tsx?|mjs)$/, '')

/** Finds production files that are too long, and short ones that should be merged into their only importer. */
export function sizeProblems(files: readonly string[], read: (path: string) => string): string[] {
  const measured = files.filter(isMeasured)
  const texts = new Map(measured.map((path) => [path, read(path)]))
  const importers = new Map<string, Set<string>>()
  for (const [path, text] of texts) {
    for (const [, name = ''] of text.matchAll(/(?:from|import)[ (]'([^']+)'/g)) {
      const target = name.startsWith('.') ? join(dirname(path), name) : name.replace(/^@x-automated\/([^/]+)/, '$1/src')
      const key = withoutExtension(normalize(target))
      importers.set(key, (importers.get(key) ?? new Set()).add(path))
    }
  }
  return measured.flatMap((path) => {
    const lines = (texts.get(path) ?? '').split('\n').length - 1
    if (lines > LONGEST) return [`${path}: ${lines} lines are too long. Give its chapters files of their own`]
    const [importer, ...others] = importers.get(withoutExtension(path)) ?? []
    if (lines >= SHORT || !importer || others.length > 0 || isListed.test(path)) return []
    return [`${path}: ${lines} lines that only ${importer} imports belong there`]
  })
}

const sources = ['contract', 'server', 'web', 'extension', 'stand-ins', 'e2e', 'bench', 'dev-env', 'tools']
const ignoredFolders = new Set(['node_modules', 'build', 'dist', 'public', 'migrations'])

/** Lists files in `folder` whose name matches, relative to the root, with slashes. Skips built and hidden files. */
export function filesIn(root: string, folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.name.startsWith('.') || ignoredFolders.has(entry.name)) return []
    if (entry.isDirectory()) return filesIn(root, path, name)
    return name.test(entry.name) ? [path] : []
  })
}

/** Lists the code files of every workspace, relative to the root, with slashes. */
export function sourceFiles(root: string): string[] {
  return readdirSync(root)
    .filter((name) => sources.includes(name))
    .flatMap((name) => filesIn(root, name, /\.(tsx?|mjs|cjs|css)$/))
    .sort()
}

/** Finds problems of package-lock.json. It must not name a registry, so that any registry can be used. */
export function lockfileProblems(text: string): string[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, { resolved?: string; link?: boolean }> }
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && !link)
    .map(([path]) => `package-lock.json: ${path} names its registry. Run npm install to remove it.`)
}

/** Finds tables of `schema` (docs/schema.sql) that no folder owns, and tables that only `owners` has. */
export function ownerProblems(schema: string, owners: string): string[] {
  const owned = Object.values((JSON.parse(owners) as { tables: Record<string, string[]> }).tables).flat()
  const tables = [...schema.matchAll(/^create table (\S+)/gm)].map(([, table]) => table!)
  return [
    ...tables.filter((table) => !owned.includes(table)).map((table) => `${table}: no folder owns this table.`),
    ...owned.filter((table) => !tables.includes(table)).map((table) => `${table}: no such table.`),
    ...owned.filter((table, index) => owned.indexOf(table) < index).map((table) => `${table}: two folders own it.`),
  ].map((problem) => `server/test/table-owners.json: ${problem}`)
}

/** Finds all problems with the files of the repository at `root`. */
export function repositoryProblems(root: string): string[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const files = sourceFiles(root)
  return [
    ...structureProblems(files, read),
    ...sizeProblems(files, read),
    ...lockfileProblems(read('package-lock.json')),
    ...formProblems(files, read),
    ...ownerProblems(read('docs/schema.sql'), read('server/test/table-owners.json')),
  ]
}
