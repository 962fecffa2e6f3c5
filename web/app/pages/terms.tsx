import html from '../../legal/terms.html?raw'
import { LegalText } from '../features/overview/shell/legal-text'
import { pageMeta } from '../features/overview/shell/page-meta'

export const meta = () =>
  pageMeta(
    'Terms of Service',
    'What you can expect from X-Automated, what we expect from you, and what X says about automated messages.',
  )

export default function Terms() {
  return <LegalText html={html} />
}
