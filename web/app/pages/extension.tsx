import { ExtensionPage } from '../features/extension/extension-page'
import { pageMeta } from '../features/shell/page-meta'

export const meta = () => pageMeta('Browser extension', 'Send from your own X account in your own browser.')

export default ExtensionPage
