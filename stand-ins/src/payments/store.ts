import { randomBytes } from 'node:crypto'
import { openAppendLog } from '../append-log.ts'
import { DEFAULTS } from './defaults.ts'
import type { Kind, OfKind, Stored } from './objects.ts'
import { PaymentsProblem } from './wire.ts'

/** Fields of a new object. Those in DEFAULTS are optional. */
export type Fields<K extends Kind> = Omit<
  OfKind<K>,
  'id' | 'object' | 'created' | 'livemode' | keyof (typeof DEFAULTS)[K]
> &
  Partial<Pick<OfKind<K>, 'id' | (keyof (typeof DEFAULTS)[K] & keyof OfKind<K>)>>

type Entry = { put: Stored } | { remove: string } | { aheadMs: number }

const PREFIXES: Record<Kind, string> = {
  product: 'prod',
  price: 'price',
  payment_link: 'plink',
  customer: 'cus',
  payment_method: 'pm',
  payment_intent: 'pi',
  'checkout.session': 'cs_test',
  subscription: 'sub',
  invoice: 'in',
  'billing_portal.session': 'bps',
  event: 'evt',
  webhook_endpoint: 'we',
}

/** Generates an id in Stripe's format. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

export type Store = ReturnType<typeof openStore>

/** Opens the storage of all objects and the clock. Each change is written to the file before the call returns. */
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

  /** While the clock is being advanced: the time of the event being processed. */
  let eventTime: number | null = null
  const today = () => Math.floor((Date.now() + aheadMs) / 1_000)
  const now = () => eventTime ?? today()

  const put = <T extends Stored>(thing: T): T => {
    record({ put: thing })
    return thing
  }
  /** Builds a new object without storing it. It gets an id of its kind unless `fields` has one. */
  function make<K extends Kind>(kind: K, fields: Fields<K>): OfKind<K> {
    const base = { id: newId(PREFIXES[kind]), object: kind, created: now(), livemode: false }
    return { ...base, ...DEFAULTS[kind], ...fields } as unknown as OfKind<K>
  }
  function find<K extends Kind>(kind: K, id: string | null): OfKind<K> | undefined {
    const thing = things.get(id ?? '')
    return thing?.object === kind ? (thing as OfKind<K>) : undefined
  }

  return {
    /** Returns the current time in Unix seconds. */
    today,
    /** Returns the time of the event being processed or, outside of events, `today()`, in Unix seconds. */
    now,
    /** Runs `work` with the clock set to this time. */
    at(time: number, work: () => void) {
      eventTime = time
      try {
        work()
      } finally {
        eventTime = null
      }
    },
    advance: (ms: number) => record({ aheadMs: aheadMs + ms }),
    newId: (kind: Kind) => newId(PREFIXES[kind]),
    make,
    create: <K extends Kind>(kind: K, fields: Fields<K>): OfKind<K> => put(make(kind, fields)),
    put,
    remove: (id: string) => record({ remove: id }),
    find,
    /** @throws PaymentsProblem 404 for an unknown id */
    get<K extends Kind>(kind: K, id: string): OfKind<K> {
      const thing = find(kind, id)
      if (!thing) throw PaymentsProblem.missing(kind, id)
      return thing
    },
    /** Returns an object of any kind, for `expand`. */
    any: (id: string): Stored | undefined => things.get(id),
    /** Returns all objects of a kind, newest first. */
    all: <K extends Kind>(kind: K): OfKind<K>[] =>
      [...things.values()].filter((thing): thing is OfKind<K> => thing.object === kind).reverse(),
    close: () => log.close(),
  }
}
