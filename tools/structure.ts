import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

/** The rooms of a domain, so that one knows a file before opening it (ARCHITECTURE.md). */
const rooms = ['tables', 'rules', 'service', 'routes', 'mails', 'engine']

/** A service or an engine too long for one file is split by meaning: service-preparing.ts. */
const room = new RegExp(`^(${rooms.join('|')}|(service|engine)-[a-z0-9-]+)\\.ts$`)
const roomTest = new RegExp(`^(${rooms.join('|')})([.-][a-z0-9-]+)*\\.test\\.ts$`)
const domainFile = /^server\/src\/domains\/[^/]+\/(.+)$/
const kebabCase = /^[a-z0-9]+([.-][a-z0-9]+)*$/
const vagueFolder = /(^|\/)(utils?|helpers?|misc|common|lib)\//
const environmentReader = /^server\/src\/(env|main)\.ts$/

/** What is wrong with the names and places of these files. `read` gives a file's text; paths are from the root, with /. */
export function structureProblems(files: readonly string[], read: (path: string) => string): string[] {
  return files.flatMap((path) => {
    const problems: string[] = []
    const name = basename(path)
    const inDomain = domainFile.exec(path)?.[1]
    if (inDomain && !room.test(inDomain) && !roomTest.test(inDomain)) {
      problems.push(`a domain holds only ${rooms.map((known) => `${known}.ts`).join(', ')} and their tests`)
    }
    if (!kebabCase.test(name)) problems.push('file names are kebab-case')
    if (/^index\.tsx?$/.test(name)) problems.push('no barrels: import from the file that has it')
    if (vagueFolder.test(path)) problems.push(`no folder named ${basename(dirname(path))}: name what is in it`)
    if (/^server\/src\/.*(?<!\.test)\.ts$/.test(path) && !environmentReader.test(path)) {
      if (read(path).includes('process.env')) problems.push('env.ts is the only reader of process.env')
    }
    return problems.map((problem) => `${path}: ${problem}`)
  })
}

const sources = ['contract', 'server', 'web', 'extension', 'stand-ins', 'e2e', 'bench', 'tools']
const notOurs = new Set(['node_modules', 'build', 'dist', 'public', 'migrations', '.react-router', '.output', '.wxt'])

/** The code files of every workspace, by paths from the root with /. */
export function sourceFiles(root: string): string[] {
  const walk = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return notOurs.has(entry.name) ? [] : walk(path)
      return /\.(tsx?|mjs|cjs|css)$/.test(entry.name) ? [relative(root, path).split(sep).join('/')] : []
    })
  return readdirSync(root)
    .filter((name) => sources.includes(name))
    .flatMap((name) => walk(join(root, name)))
    .sort()
}

/** What is wrong with package-lock.json: it names no registry, so that it installs from any. */
export function lockfileProblems(text: string): string[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, { resolved?: string; link?: boolean }> }
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && !link)
    .map(([path]) => `package-lock.json: ${path} names the address it came from. npm install writes it without.`)
}

/** structureProblems of the repository at `root`, and lockfileProblems of its lockfile. */
export function repositoryProblems(root: string): string[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  return [...structureProblems(sourceFiles(root), read), ...lockfileProblems(read('package-lock.json'))]
}
