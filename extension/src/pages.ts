import type { PageAnswer, PageQuestion } from '@x-automated/contract/extension'

const PATIENCE_MS = 15_000

/** The parts of a page's port that are used. */
export interface PagePort {
  sender?: { documentId?: string | undefined } | undefined
  postMessage(question: PageQuestion): void
  onMessage: {
    addListener(heard: (answer: unknown) => void): void
    removeListener(heard: (answer: unknown) => void): void
  }
  onDisconnect: { addListener(gone: () => void): void; removeListener(gone: () => void): void }
}

/** Pages that drive a run. Each keeps a port open. */
export function createPages() {
  const ports = new Map<string, PagePort>()

  return {
    add(port: PagePort) {
      const documentId = port.sender?.documentId
      if (documentId === undefined) return
      ports.set(documentId, port)
      port.onDisconnect.addListener(() => {
        if (ports.get(documentId) === port) ports.delete(documentId)
      })
    },
    /** Asks the page whether its claimed message may be sent. Null if it is gone or too slow. */
    ask(documentId: string | undefined, held: { dmId: string; lease: string }): Promise<boolean | null> {
      const port = documentId === undefined ? undefined : ports.get(documentId)
      if (!port) return Promise.resolve(null)
      return new Promise((resolve) => {
        const end = (maySend: boolean | null) => {
          clearTimeout(late)
          port.onMessage.removeListener(hear)
          port.onDisconnect.removeListener(gone)
          resolve(maySend)
        }
        const gone = () => end(null)
        const hear = (said: unknown) => {
          const { dmId, lease, maySend } = (said ?? {}) as Partial<PageAnswer>
          if (dmId === held.dmId && lease === held.lease) end(typeof maySend === 'boolean' ? maySend : null)
        }
        const late = setTimeout(gone, PATIENCE_MS)
        port.onMessage.addListener(hear)
        port.onDisconnect.addListener(gone)
        port.postMessage({ ask: 'MAY_SEND', ...held })
      })
    },
  }
}
