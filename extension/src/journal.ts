/** An attempt whose send button was pressed, or is about to be. */
export interface Entry {
  handle: string
  message: string
  /** `pressing` until the message has definitely been sent, and forever if the outcome stays unknown. */
  state: 'pressing' | 'sent'
}

const LONGEST = 500

/** Creates a journal of attempts, written before send is pressed so that a restarted worker never presses twice. */
export function createJournal(store: {
  read(): Promise<Record<string, Entry> | null | undefined>
  write(entries: Record<string, Entry>): Promise<void>
}) {
  async function change(id: string, entry: Entry | undefined) {
    const { [id]: _, ...others } = (await store.read()) ?? {}
    const recent = Object.entries(others).slice(-(LONGEST - 1))
    await store.write(Object.fromEntries(entry ? [...recent, [id, entry]] : recent))
  }

  return {
    find: async (id: string): Promise<Entry | undefined> => (await store.read())?.[id],
    put: (id: string, entry: Entry) => change(id, entry),
    remove: (id: string) => change(id, undefined),
  }
}

export type Journal = ReturnType<typeof createJournal>
