import '../src/connect-core.ts'
import { checkAndCloseOpened } from './opened.ts'

// Vitest runs this once per test file, even if files share their modules.
checkAndCloseOpened()
