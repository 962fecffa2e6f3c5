import { DOMParser } from '@xmldom/xmldom'
import sax from 'sax'

/** What nobody's metadata or responses come near: those who build trees of them take time that grows with the square of these. */
const DEPTH_MAX = 50
const ATTRIBUTES_MAX = 50

/** An element that begins; names are as they are written, prefix and all. */
export interface XmlElement {
  name: string
  attributes: ReadonlyMap<string, string>
}

export interface XmlWalk {
  /** Rejects comments and processing instructions too: a parser may cut a text at them. */
  plain?: boolean
  onElement?(element: XmlElement): void
}

/**
 * Goes once through XML that somebody else wrote, in time that grows with its length alone.
 * @returns false for what is not well formed, declares a document type (entities could be defined in it), or is built to keep a parser busy
 */
export function walkXml(xml: string, { plain = false, onElement }: XmlWalk = {}): boolean {
  // XML knows no NUL, and neither does the database.
  if (xml.includes('\u0000')) return false
  // Not left to the parser: sax reports no empty comment.
  if (plain && xml.includes('<!--')) return false
  const reader = sax.parser(true)
  let depth = 0
  let attributes = 0
  reader.onerror = refuse
  reader.ondoctype = refuse
  reader.onsgmldeclaration = refuse
  reader.onopentagstart = () => {
    attributes = 0
  }
  reader.onattribute = () => {
    attributes += 1
    if (attributes > ATTRIBUTES_MAX) refuse()
  }
  reader.onopentag = ({ name, attributes }) => {
    depth += 1
    if (depth > DEPTH_MAX) refuse()
    onElement?.({ name, attributes: new Map(Object.entries(attributes as Record<string, string>)) })
  }
  reader.onclosetag = () => {
    depth -= 1
  }
  if (plain) {
    reader.onprocessinginstruction = ({ name }) => {
      if (name !== 'xml') refuse()
    }
  }
  try {
    reader.write(xml).close()
    return true
  } catch (error) {
    if (error instanceof Refused) return false
    throw error
  }
}

class Refused extends Error {}

function refuse(): never {
  throw new Refused()
}

/** Parses XML that somebody else wrote; null where it cannot be, or must not. */
export function parseXml(xml: string): Document | null {
  if (!walkXml(xml)) return null
  let broken = false
  const note = () => {
    broken = true
  }
  const document = new DOMParser({ errorHandler: { warning: note, error: note, fatalError: note } }).parseFromString(
    xml,
    'text/xml',
  )
  return broken ? null : document
}
