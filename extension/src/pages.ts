import type { PageAnswer, PageQuestion } from '@x-automated/contract/outreach/extension'

const ANSWER_TIMEOUT_MS = 15_000

/** The parts of a page's port that we use. */
export interface PagePort {
  sender?: { documentId?: string | undefined } | undefined
  postMessage(question: PageQuestion): void
  onMessage: {
    addListener(listener: (answer: unknown) => void): void
    removeListener(listener: (answer: unknown) => void): void
  }
  onDisconnect: { addListener(listener: () => void): void; removeListener(listener: () => void): void }
}

/** Tracks the pages that drive a run. Each of them holds a port open. */
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
    /** Asks the page whether its claimed message may be sent. Null if the page has closed or is too slow. */
    ask(documentId: string | undefined, claim: { dmId: string; lease: string }): Promise<boolean | null> {
      const port = documentId === undefined ? undefined : ports.get(documentId)
      if (!port) return Promise.resolve(null)
      return new Promise((resolve) => {
        const end = (maySend: boolean | null) => {
          clearTimeout(timeout)
          port.onMessage.removeListener(onAnswer)
          port.onDisconnect.removeListener(onDisconnect)
          resolve(maySend)
        }
        const onDisconnect = () => end(null)
        const onAnswer = (answer: unknown) => {
          const { dmId, lease, maySend } = (answer ?? {}) as Partial<PageAnswer>
          if (dmId === claim.dmId && lease === claim.lease) end(typeof maySend === 'boolean' ? maySend : null)
        }
        const timeout = setTimeout(onDisconnect, ANSWER_TIMEOUT_MS)
        port.onMessage.addListener(onAnswer)
        port.onDisconnect.addListener(onDisconnect)
        port.postMessage({ ask: 'MAY_SEND', ...claim })
      })
    },
  }
}
