import { randomBytes } from 'node:crypto'
import { openAppendLog } from '../append-log.ts'
import type { Kind, OfKind, Stored } from './objects.ts'
import { PaymentsProblem } from './wire.ts'

type Entry = { put: Stored } | { remove: string } | { aheadMs: number }

export type Store = ReturnType<typeof openStore>

/** All objects by id, in order of creation. `put` writes to disk before it returns. */
export function openStore(file: string | undefined) {
  const things = new Map<string, Stored>()
  let aheadMs = 0
  const replay = (entry: Entry) => {
    if ('put' in entry) things.set(entry.put.id, entry.put)
    else if ('remove' in entry) things.delete(entry.remove)
    else aheadMs = entry.aheadMs
  }
  const log = openAppendLog<Entry>(file, replay)
  const record = (entry: Entry) => {
    log.append(entry)
    replay(entry)
  }

  function find<K extends Kind>(kind: K, id: string): OfKind<K> | undefined {
    const thing = things.get(id)
    return thing?.object === kind ? (thing as OfKind<K>) : undefined
  }

  return {
    find,
    /** @throws PaymentsProblem 404 for an unknown id */
    get<K extends Kind>(kind: K, id: string): OfKind<K> {
      const thing = find(kind, id)
      if (!thing) throw PaymentsProblem.missing(kind, id)
      return thing
    },
    /** An object of any kind, for `expand`. */
    any: (id: string): Stored | undefined => things.get(id),
    put<T extends Stored>(thing: T): T {
      record({ put: thing })
      return thing
    },
    remove: (id: string) => record({ remove: id }),
    /** All objects of a kind, newest first. */
    all: <K extends Kind>(kind: K): OfKind<K>[] =>
      [...things.values()].filter((thing): thing is OfKind<K> => thing.object === kind).reverse(),
    isEmpty: () => things.size === 0,
    newId: (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`,
    aheadMs: () => aheadMs,
    setAhead: (ms: number) => record({ aheadMs: ms }),
    close: () => log.close(),
  }
}
