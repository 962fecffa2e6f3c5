import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const kebabCase = /^[a-z0-9]+([.-][a-z0-9]+)*$/
const vagueFolder = /(^|\/)(utils?|helpers?|misc|common|lib)\//
const environmentReader = /^server\/src\/(env|main)\.ts$/

/** Problems with the names and places of these files. Paths are relative to the root, with /. */
export function structureProblems(files: readonly string[], read: (path: string) => string): string[] {
  return files.flatMap((path) => {
    const problems: string[] = []
    const name = basename(path)
    if (!kebabCase.test(name)) problems.push('file names are kebab-case')
    if (/^index\.tsx?$/.test(name)) problems.push('no barrels: import from the defining file')
    if (vagueFolder.test(path)) problems.push(`no folder named ${basename(dirname(path))}: name it after its contents`)
    if (/^server\/src\/.*(?<!\.test)\.ts$/.test(path) && !environmentReader.test(path)) {
      if (read(path).includes('process.env')) problems.push('only env.ts may read process.env')
    }
    return problems.map((problem) => `${path}: ${problem}`)
  })
}

const sources = ['contract', 'server', 'web', 'extension', 'stand-ins', 'e2e', 'bench', 'dev-env', 'tools']
const ignoredFolders = new Set(['node_modules', 'build', 'dist', 'public', 'migrations'])

/** The files in `folder` whose name matches, relative to the root, with /. Skips what is built or hidden. */
export function filesIn(root: string, folder: string, name: RegExp): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.name.startsWith('.') || ignoredFolders.has(entry.name)) return []
    if (entry.isDirectory()) return filesIn(root, path, name)
    return name.test(entry.name) ? [path] : []
  })
}

/** The code files of every workspace, relative to the root, with /. */
export function sourceFiles(root: string): string[] {
  return readdirSync(root)
    .filter((name) => sources.includes(name))
    .flatMap((name) => filesIn(root, name, /\.(tsx?|mjs|cjs|css)$/))
    .sort()
}

/** Problems of package-lock.json, which must not name a registry, so that it installs from any. */
export function lockfileProblems(text: string): string[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, { resolved?: string; link?: boolean }> }
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && !link)
    .map(([path]) => `package-lock.json: ${path} names its registry. Run npm install to remove it.`)
}

/** `structureProblems` and `lockfileProblems` of the repository at `root`. */
export function repositoryProblems(root: string): string[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  return [...structureProblems(sourceFiles(root), read), ...lockfileProblems(read('package-lock.json'))]
}
