import html from '../../help/help.html?raw'
import { LegalText } from '../features/overview/shell/legal-text'
import { pageMeta } from '../features/overview/shell/page-meta'

export const meta = () => pageMeta('Help', 'How to connect X, find leads, start a campaign and answer replies.')

export default function Help() {
  return <LegalText html={html} />
}
