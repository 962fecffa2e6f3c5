import { DOMParser } from '@xmldom/xmldom'
import sax from 'sax'

/** Limits far beyond real metadata and responses. Beyond them, tree builders take quadratic time. */
const DEPTH_MAX = 50
const ATTRIBUTES_MAX = 50

/** A start tag. Names include their prefix. */
export interface XmlElement {
  name: string
  attributes: ReadonlyMap<string, string>
}

interface XmlWalk {
  /** Also rejects comments and processing instructions: a parser may split a text at them. */
  plain?: boolean
  onElement?(element: XmlElement): void
}

/**
 * Walks untrusted XML once, in linear time. @returns false if it is malformed, declares a document
 * type (which could define entities), or exceeds the limits
 */
export function walkXml(xml: string, { plain = false, onElement }: XmlWalk = {}): boolean {
  // NUL is invalid in XML and in PostgreSQL.
  if (xml.includes('\u0000')) return false
  // Checked here, because sax does not report empty comments.
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

/** Parses untrusted XML; null if it is malformed or unsafe. */
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
