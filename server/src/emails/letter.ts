import { Body } from '@react-email/body'
import { Button } from '@react-email/button'
import { Container } from '@react-email/container'
import { Head } from '@react-email/head'
import { Heading } from '@react-email/heading'
import { Html } from '@react-email/html'
import { Link } from '@react-email/link'
import { Section } from '@react-email/section'
import { Text } from '@react-email/text'
import { createElement as h } from 'react'
import type { Email } from './email.ts'

/** The product's colors on light screens; clients that know dark mode replace the first four. */
const COLORS = {
  page: '#f4f6f1',
  card: '#ffffff',
  ink: '#181b15',
  muted: '#5a6054',
  lime: '#b5ee3c',
  onLime: '#1b2a0b',
}
/** Clients ignore classes or inline styles, so dark mode needs both and `!important`. */
const STYLES = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page,.page>table>tbody>tr>td{background-color:#0d0f0c!important}
.card{background-color:#171a15!important}
.ink{color:#eef1ea!important}
.muted{color:#a7ada1!important}}`

const FONT = "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const paragraph = { fontSize: 15, lineHeight: '24px', margin: '0 0 16px', color: COLORS.ink }

/** The layout of every email. The logo is drawn in HTML, so that nothing is loaded. */
export function Letter({ subject, lines, action, closing, unsubscribeLink }: Omit<Email, 'to'>) {
  const muted = { fontSize: 13, lineHeight: '20px', color: COLORS.muted }
  return h(
    Html,
    null,
    h(
      Head,
      null,
      h('meta', { name: 'viewport', content: 'width=device-width' }),
      h('meta', { name: 'color-scheme', content: 'light dark' }),
      h('title', null, subject),
      h('style', null, STYLES),
    ),
    h(
      Body,
      { className: 'page', style: { backgroundColor: COLORS.page, fontFamily: FONT, margin: 0, padding: '32px 12px' } },
      h(
        Container,
        { style: { maxWidth: 520 } },
        h(Logo),
        h(
          Section,
          { className: 'card', style: { backgroundColor: COLORS.card, borderRadius: 16, padding: 28 } },
          h(
            Heading,
            { className: 'ink', style: { fontSize: 22, lineHeight: '30px', margin: '0 0 16px', color: COLORS.ink } },
            subject,
          ),
          lines.map((line, index) => h(Text, { key: index, className: 'ink', style: paragraph }, line)),
          h(
            Button,
            {
              href: action.link,
              style: {
                backgroundColor: COLORS.lime,
                borderRadius: 10,
                color: COLORS.onLime,
                fontSize: 15,
                fontWeight: 600,
                marginTop: 8,
                padding: '12px 20px',
              },
            },
            action.label,
          ),
        ),
        h(
          Text,
          { className: 'muted', style: { ...muted, margin: '20px 28px 0' } },
          closing,
          unsubscribeLink && ' ',
          unsubscribeLink &&
            h(
              Link,
              { href: unsubscribeLink, className: 'muted', style: { ...muted, textDecoration: 'underline' } },
              'Unsubscribe',
            ),
        ),
      ),
    ),
  )
}

/** The mark beside the product's name. */
function Logo() {
  const mark = {
    fontWeight: 800,
    width: 32,
    height: 32,
    borderRadius: 9,
    backgroundColor: COLORS.lime,
    color: COLORS.onLime,
  }
  const name = { paddingLeft: 10, fontSize: 16, fontWeight: 600, color: COLORS.ink }
  return h(
    'table',
    { role: 'presentation', cellPadding: 0, cellSpacing: 0, style: { margin: '0 0 20px' } },
    h(
      'tbody',
      null,
      h(
        'tr',
        null,
        h(
          'td',
          { align: 'center', 'aria-hidden': true, style: { ...mark, fontSize: 20, lineHeight: '32px' } },
          '✕\ufe0e',
        ),
        h('td', { className: 'ink', style: name }, 'X-Automated'),
      ),
    ),
  )
}
