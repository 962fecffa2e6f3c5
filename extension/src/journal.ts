/** One attempt for which send was pressed, or is about to be. */
export interface Entry {
  handle: string
  message: string
  /** `pressing` until it is known to be sent: after an unclear end it stays so. */
  state: 'pressing' | 'sent'
}

/** Where the journal is kept: what it gives back is what was put in last. */
export interface Store {
  read(): Promise<Record<string, Entry> | undefined>
  write(entries: Record<string, Entry>): Promise<void>
}

const LONGEST = 500

/**
 * Which attempts have pressed send. An attempt is written down before the press, so that nobody presses twice, however
 * the first time ended: a killed worker finds it again.
 */
export function createJournal(store: Store) {
  async function change(id: string, entry: Entry | undefined) {
    const { [id]: _, ...others } = (await store.read()) ?? {}
    const kept = Object.entries(others).slice(-(LONGEST - 1))
    await store.write(Object.fromEntries(entry ? [...kept, [id, entry]] : kept))
  }

  return {
    find: async (id: string): Promise<Entry | undefined> => (await store.read())?.[id],
    put: (id: string, entry: Entry) => change(id, entry),
    /** The press did not come about. */
    forget: (id: string) => change(id, undefined),
  }
}

export type Journal = ReturnType<typeof createJournal>
