// Import this first, because passwords.ts keeps the scrypt function that it finds.
import './cheap-passwords.ts'
import '../src/connect-core.ts'
import { checkAndCloseOpened } from './opened.ts'
import { recordStatements } from './statement-recorder.ts'

// Vitest runs this once per test file, even if files share their modules.
checkAndCloseOpened()
if (process.env.STATEMENTS_FILE) recordStatements(process.env.STATEMENTS_FILE)
