import { loadModule, parseSync } from 'libpg-query'

await loadModule()

interface Relation {
  schemaname?: string
  relname: string
  relpersistence?: string
}

/** Returns the tables that a statement writes, including in its CTEs, and the temporary tables that it creates. */
export function tablesOf(text: string): { written: Set<string>; temporary: Set<string> } {
  const written = new Set<string>()
  const temporary = new Set<string>()
  const add = (to: Set<string>, relation?: Relation) => {
    // Other schemas belong to packages.
    if (relation && !relation.schemaname) to.add(relation.relname)
  }
  walk(parseSync(text), (type, node) => {
    const relation = (node.relation ?? (node.into as { rel?: Relation } | undefined)?.rel) as Relation | undefined
    if (/^(Insert|Update|Delete|Merge)Stmt$/.test(type) || (type === 'CopyStmt' && node.is_from)) add(written, relation)
    if (type === 'TruncateStmt')
      for (const { RangeVar } of node.relations as { RangeVar: Relation }[]) add(written, RangeVar)
    if (/^Create(TableAs)?Stmt$/.test(type) && relation?.relpersistence === 't') add(temporary, relation)
  })
  return { written, temporary }
}

type Node = Record<string, unknown>

/** Calls `visit` with each node of a parsed statement and its type. */
function walk(node: unknown, visit: (type: string, node: Node) => void): void {
  if (typeof node !== 'object' || node === null) return
  for (const [type, child] of Object.entries(node)) {
    if (typeof child === 'object' && child !== null && !Array.isArray(child)) visit(type, child as Node)
    walk(child, visit)
  }
}
